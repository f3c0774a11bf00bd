"""The audit log as sentences. Each app declares the sentences of its actions in a module that is
loaded when the log is first read, because it needs the forms for their labels.

`said(reading)` returns one entry in the reader's language. An action without a sentence reads
"changed …". A test finds every action in the code and requires its sentence.
"""

from poolsite.console.sentences.registry import (
    HistoryObject,
    Sentence,
    SettingsFields,
    groups,
    object_word,
    object_words,
    pages_of,
    provide,
    register,
    register_object,
    registered,
    title_of,
)
from poolsite.console.sentences.telling import EntryText, FieldChange, actor_words, said
from poolsite.console.sentences.values import (
    Names,
    Reading,
    choice,
    count,
    json_list,
    moment,
    numbers,
    person,
    plain,
    register_field_kind,
)

__all__ = [
    "EntryText",
    "FieldChange",
    "HistoryObject",
    "Names",
    "Reading",
    "Sentence",
    "SettingsFields",
    "actor_words",
    "choice",
    "count",
    "groups",
    "json_list",
    "moment",
    "numbers",
    "object_word",
    "object_words",
    "pages_of",
    "person",
    "plain",
    "provide",
    "register",
    "register_field_kind",
    "register_object",
    "registered",
    "said",
    "title_of",
]
