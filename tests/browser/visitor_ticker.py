"""The line's ticker, whose mails come to the folder `mail` of the site."""

import os
from urllib.parse import quote

from tests.browser.line_ticker import main

if __name__ == "__main__":
    os.environ["EMAIL_URL"] = f"filemail:///{quote(os.environ['POOLSITE_DATA_DIR'] + '/mail')}"
    main()
