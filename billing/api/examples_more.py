"""Example values of the OpenAPI document: accounts, books, money and campaigns."""

from collections.abc import Mapping
from typing import Any, Final

MESSAGE: Final = "m-20260301-000418"
_NAMES: Final = {"name": "Acme Ltd", "currency": "CNY"}
ACCOUNT: Final = {
    **_NAMES,
    "status_reason": "",
    "balance": "1284.3100",
    "credit_limit": "0.0000",
    "promotional": "0.0000",
    "spendable": "1284.3100",
    "held": "0.0900",
    "receivable": "0.0000",
    "spent_today": "215.6000",
}
SETTINGS: Final = {
    "daily_limit": "500.0000",
    "alert_below": "100.0000",
    "top_up_below": "100.0000",
    "top_up_amount": "200.0000",
}
ENTRY: Final = {
    "generation": 1,
    "seq": 40_217,
    "kind": "settle",
    "operation": MESSAGE,
    "mode": "native_text",
    "chatbot": "shop-news",
    "spendable": "0.0300",
    "held": "-0.1200",
    "owed": "0.0000",
}
TOTALS: Final = {
    "month": "2026-03",
    "opening": "1000.0000",
    "top_ups": "500.0000",
    "charges": "215.6000",
    "adjustments": "0.0000",
    "closing": "1284.4000",
    "available": "1284.3100",
    "held": "0.0900",
    "owed": "0.0000",
}
STATEMENT_CSV: Final = (
    "at,sequence,kind,operation,chatbot,mode,in,out,balance,held in,held out,owed more,owed less,"
    "charged seconds,explanation\n"
    f"2026-03-01T10:32:07.481920+08:00,1:40217,settle,{MESSAGE},shop-news,native_text,"
    "0.0300,,1284.3100,,0.1200,,,,\n"
    "2026-03-01T10:33:20.117204+08:00,1:40218,settle,east/7f3a/2.91c2,,call,"
    '0.0940,,1284.4040,,0.1200,,,13,"Germany mobile, 0.12 per minute, 60/1, 13 s charged"\n'
)
CALL_RATE: Final = {
    "prefix": "+4917",
    "destination": "Germany mobile",
    "days": ["mon", "tue", "wed", "thu", "fri"],
    "start": "08:00",
    "end": "18:00",
    "price_per_minute": "0.1200",
    "first_increment": 60,
    "increment": 1,
    "connection_fee": "0.0000",
}
CALLS: Final = {
    "prefix": "+4917",
    "destination": "Germany mobile",
    "calls": 12,
    "charged_seconds": 876,
    "amount": "1.7520",
    "explanation": "Germany mobile, 0.12 per minute, 60/1, 876 s charged",
}
TARIFF: Final = {
    "name": "Spring 2026",
    "prices": {
        "native_text": {
            "unit_price": "0.0900",
            "characters_per_unit": None,
            "kilobytes_per_unit": None,
        }
    },
    "call_rates_count": 1,
}
TARIFF_IN: Final = {
    "name": "Spring 2026",
    "prices": {"native_text": {"unit_price": "0.09"}},
    "call_rates": [
        {"prefix": "+4917", "destination": "Germany mobile", "price_per_minute": "0.12"},
    ],
    "valid_from": "2026-04-01T00:00:00+08:00",
}
MADE: Final = {"amount": "200.0000", "requested_by": "mei"}
CAMPAIGN: Final = {
    "name": "Spring sale",
    "state_reason": "",
    "chatbot": "shop-news",
    "recipients": 1_840,
    "quiet_from": "22:00",
    "quiet_until": "08:00",
    "created_by": "mei",
}
TEMPLATE: Final = {
    "name": "Spring sale",
    "chatbot": "shop-news",
    "native_kind": "text",
    "native_text": "Everything 20 % off until Sunday.",
}

EXAMPLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "AccountOut": ACCOUNT,
    "WalletSettingsOut": {**SETTINGS, "payment_method": "Visa 4242"},
    "WalletSettingsIn": {"alert_below": "100"},
    "CreditLimitIn": {"amount": "500", "reason": "Contract 2026-114"},
    "CreditLimitOut": {"credit_limit": "0.0000"},
    "PromotionIn": {
        "amount": "50",
        "expires_at": "2026-12-31T23:59:59+08:00",
        "reason": "Spring campaign",
    },
    "PromotionOut": {
        "amount": "50.0000",
        "remaining": "12.3000",
        "state": "active",
        "reason": "Spring campaign",
        "granted_by": "mei",
        "revoked_at": None,
        "revoked_by": "",
    },
    "PromotionAskedOut": {},
    "RebuiltOut": {"difference": "0.0000", "held_difference": "0.0000", "messages": 312},
    "MessageRow": {
        "message_id": MESSAGE,
        "kind": "message",
        "state": "settled",
        "mode": "native_text",
        "chatbot": "shop-news",
        "to": "+86 139 **** 0001",
        "tariff": 3,
        "quoted": "0.1200",
        "held": "0.0000",
        "charged": "0.0900",
        "flag": "",
    },
    "EntryOut": {**ENTRY, "state": "settled", "charged": "0.0900"},
    "StatementRow": {
        **ENTRY,
        "balance": "1284.3100",
        "charged_seconds": 0,
        "explanation": "",
    },
    "CallsOut": CALLS,
    "OwedOut": {"operation": "recharge:12", "amount": "20.0000"},
    "LineOut": {"name": "native_text", "count": 2_395, "amount": "215.6000"},
    "StatementOut": TOTALS,
    "MonthOut": {**TOTALS, "calls": [CALLS], "promotional": "0.0000"},
    "YearOut": {"year": 2026, "years": [2026, 2025]},
    "DayOut": {"charges": "12.4200"},
    "TariffRow": {**TARIFF, "state": "current"},
    "TariffOut": {**TARIFF, "state": "current", "call_rates": [CALL_RATE]},
    "CallRateOut": CALL_RATE,
    "CallRateIn": {**CALL_RATE, "price_per_minute": "0.12", "connection_fee": "0"},
    "TariffPreviewOut": TARIFF,
    "TariffIn": TARIFF_IN,
    "TariffChangeIn": TARIFF_IN,
    "PriceOut": {"unit_price": "0.0900"},
    "TopUpIn": {"amount": "200", "provider": "stripe"},
    "TopUpOut": {
        **MADE,
        "number": "R00000012",
        "status": "confirmed",
        "currency": "CNY",
        "refunded": "0.0000",
        "provider": "stripe",
        "provider_reference": "cs_test_a1",
        "url": "https://pool.example.com/accounts/acme/top-ups/12/",
    },
    "AdjustmentIn": {"kind": "credit", "amount": "200", "reason": "Bank transfer"},
    "AdjustmentOut": {
        **MADE,
        "kind": "credit",
        "state": "applied",
        "reason": "Bank transfer",
        "reference": "T-4711",
        "top_up": None,
        "flagged_report": None,
        "decided_by": "omar",
        "decision_reason": "",
    },
    "RefundIn": {"amount": "200", "payout": "Bank of China, 6217 0000, Li Mei"},
    "RefundOut": {
        **MADE,
        "payout": "Bank of China, 6217 0000, Li Mei",
        "reason": "The contract ended",
        "answer": "",
    },
    "ChargeIn": {"amount": "0.09", "reason": "Delivered after the deadline"},
    "CampaignIn": {
        "name": "Spring sale",
        "template": 7,
        "recipients": "number\n+8613900000001\n",
    },
    "CampaignChangeIn": {"scheduled_at": "2026-04-01T09:00:00+08:00"},
    "CampaignOut": CAMPAIGN,
    "CampaignDetailOut": {**CAMPAIGN, "problems": []},
    "FiguresOut": {"held_money": "0.0900", "charged": "165.5100", "returned": "55.1700"},
    "RecipientsIn": {"recipients": "number\n+8613900000001\n"},
    "RecipientOut": {
        "message_id": "c7-1",
        "state": "settled",
        "mode": "native_text",
        "charged": "0.0900",
        "reason": "",
    },
    "DroppedOut": {"text": "12345", "why": "unreachable", "reason": "Wrong number length"},
    "EstimateOut": {
        "recipients": 1_840,
        "least": "165.6000",
        "most": "220.8000",
        "spendable": "1284.3100",
        "missing": "0.0000",
        "covers": 1_840,
        "problem": "",
    },
    "TestSendOut": {"message_id": "t7-1", "held": "0.1200"},
    "ChatbotIn": {"id": "shop-news", "name": "Shop news"},
    "ChatbotOut": {"id": "shop-news", "name": "Shop news", "token": "ps_3f9a"},
    "ChatbotChangeIn": {"rate_limit": 50},
    "TokenOut": {"token": "ps_3f9a7c1e"},
    "TemplateIn": TEMPLATE,
    "TemplateChangeIn": {"video_kilobytes": 150},
    "TemplateOut": {
        **TEMPLATE,
        "yuexin_text": "Everything 20 % off https://a.example/1",
        "yuexin_link": "https://a.example/1",
        "video_subject": "Spring sale",
        "missing": [],
    },
    "OptOutOut": {"added_by": "mei", "reason": "Asked by phone"},
    "FlaggedOut": {
        "message_id": MESSAGE,
        "flag": "late",
        "reported_mode": "native_text",
        "state": "expired",
        "difference": "0.0900",
        "closing": "",
        "closed_by": "",
        "closed_at": None,
        "closing_reason": "",
    },
    "AccountRecipientIn": {"address": "ops@example.com"},
    "accounts": {
        "slug": "acme",
        "message_id": MESSAGE,
        "month": "2026-03",
        "promotion": 7,
        "recipient": 7,
        "chatbot": "shop-news",
        "template": 7,
        "campaign": 7,
        "invoice": 17,
    },
}
