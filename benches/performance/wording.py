"""Numbers, lists and tables in Markdown, the same in all sections."""

import math


def number(value, digits=3):
    """A number with so many significant digits; a dash for nothing."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if -3 <= size < 5:
        text = f"{value:.{max(0, digits - 1 - size)}f}"
    else:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", "−")


def plain(value):
    """A number that was chosen, not measured."""
    return f"{value:g}".replace("e-0", "e-").replace("-", "−")


def ratio(value):
    """How many times."""
    return "–" if value is None else f"{number(value, 2)} ×"


def table(head, rows, left=1):
    """A table whose first columns are texts and whose others are numbers."""
    lines = ["| " + " | ".join(head) + " |"]
    lines.append("|" + "---|" * left + "---:|" * (len(head) - left))
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def machine(data):
    """The machine of a file of results, in a sentence."""
    here = data["machine"]
    flags = f", `RUSTFLAGS={here['rustflags']}`" if here.get("rustflags") else ""
    return (
        f"{here['processor']}, {here['cores']} cores, {here['memory_gib']} GiB, {here['system']}; "
        f"{here['rustc'].split(' (')[0]}{flags}"
    )
