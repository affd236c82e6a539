"""Amounts of money: whole numbers of a currency's smallest unit everywhere, and never floats."""

import re
from decimal import Decimal

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.text import typed_number

WITHOUT_MINOR_UNITS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
WITH_THREE_DIGITS = "BHD IQD JOD KWD LYD OMR TND"
WITH_TWO_DIGITS = (
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP "
    "CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES "
    "KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK "
    "NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB "
    "TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG"
)
DIGITS: dict[str, int] = {
    code: digits
    for codes, digits in ((WITHOUT_MINOR_UNITS, 0), (WITH_TWO_DIGITS, 2), (WITH_THREE_DIGITS, 3))
    for code in codes.split()
}
"""The currencies of ISO 4217 that people are paid in → how many digits the smallest unit stands behind the point."""

SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}
MOST = 10**12
"""No amount is larger: what is, was mistyped, and sums of many still fit into a column."""

_AMOUNT = re.compile(r"(?P<sign>[-−+]?)(?P<whole>\d{1,3}(?:,\d{3})+|\d+)(?:\.(?P<part>\d+))?")


def digits_of(currency: str) -> int:
    """How many digits a currency has behind the point.

    Raises
    ------
    InvalidInputError
        When it is no currency that people are paid in.
    """
    if currency not in DIGITS:
        raise InvalidInputError("crowd.pay_no_currency", currency=currency)
    return DIGITS[currency]


def amount_of(text: str, currency: str) -> int:
    """What somebody typed, or a file says, in the smallest unit.

    Examples
    --------
    >>> amount_of("1,250.5", "USD"), amount_of("-300", "JPY")
    (125050, -300)

    Raises
    ------
    InvalidInputError
        When it is no amount, has more digits than the currency, or is larger than any honest one.
    """
    digits = digits_of(currency)
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        raise InvalidInputError("crowd.pay_no_amount", text=text.strip()[:40])
    part = (found["part"] or "").rstrip("0")
    if len(part) > digits:
        raise InvalidInputError("crowd.pay_too_many_digits", text=text.strip()[:40], currency=currency, digits=digits)
    amount = typed_number(found["whole"].replace(",", "") + part.ljust(digits, "0"), most=MOST)
    if amount is None:
        raise InvalidInputError("crowd.pay_amount_too_large", text=text.strip()[:40])
    return amount if found["sign"] in ("", "+") else -amount


def plain(amount: int, currency: str) -> str:
    """An amount as files have it, and fields of forms.

    Examples
    --------
    >>> plain(125050, "USD"), plain(-5, "USD"), plain(300, "JPY")
    ('1250.50', '-0.05', '300')
    """
    return f"{Decimal(amount).scaleb(-digits_of(currency)):f}"


def told(amount: int, currency: str, language: str = "en") -> str:
    """An amount for people: with the sign of its currency where everybody knows it, else with its code.

    Examples
    --------
    >>> told(125050, "USD"), told(-300, "JPY"), told(300, "JPY", "ja"), told(5, "CHF")
    ('$1,250.50', '−¥300', '300円', 'CHF\\xa00.05')
    """
    number = f"{abs(Decimal(amount).scaleb(-digits_of(currency))):,f}"
    minus = "−" if amount < 0 else ""
    if currency == "JPY" and language.startswith("ja"):
        return f"{minus}{number}円"
    if currency in SIGNS:
        return f"{minus}{SIGNS[currency]}{number}"
    return f"{minus}{currency}\xa0{number}"


def share(amount: int, percent: int, part: int = 1, whole: int = 1) -> int:
    """So many percent of a part of an amount, rounded to the nearest unit, a half up.

    Examples
    --------
    >>> share(200, 20), share(200, 50, 2, 5), share(25, 50)
    (40, 40, 13)
    """
    numerator, denominator = amount * percent * part, 100 * whole
    return (2 * numerator + denominator) // (2 * denominator)
