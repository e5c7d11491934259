"""The view: plain lines when piped, a panel in a terminal, both from the same figures."""

from io import StringIO

import pytest
from rich.console import Console

from effectloop.cli.figures import Figures
from effectloop.cli.live import open_view, panel, state, status
from effectloop.cli.outbox import Counts


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def figures() -> Figures:
    """A processor that backs off 5.4 s into its run, until 5.8 s."""
    figures = Figures(began=100.0, phase="producing", state="backing off", next_wake=105.8)
    figures.failures, figures.defects, figures.failures_in_a_row = 12, 1, 7
    figures.last_result = "failure: the world is down"
    figures.count(104.4, Counts(produced=440, sent=300))
    figures.count(105.4, Counts(produced=540, sent=310))
    return figures


def drawn(figures: Figures) -> str:
    console = Console(file=StringIO(), width=100, record=True)
    console.print(panel(figures))
    return console.export_text()


def test_the_status_says_how_things_stand_in_one_line(figures: Figures) -> None:
    assert status(figures) == "produced 540, delivered 310, 10 a second; backing off, next wake in 0.4 s"


def test_a_processor_that_does_not_wait_has_no_next_wake(figures: Figures) -> None:
    figures.state, figures.next_wake = "delivering", None
    assert state(figures) == "delivering"


def test_a_wake_that_is_overdue_is_now(figures: Figures) -> None:
    figures.next_wake = 105.3
    assert state(figures) == "backing off, next wake in 0.0 s"


def test_the_panel_shows_every_figure(figures: Figures) -> None:
    text = drawn(figures)
    rows = {line.strip("│ ").split("  ")[0]: line for line in text.splitlines() if line.startswith("│")}
    assert "backing off, next wake in 0.4 s" in rows["state"]
    assert "failure: the world is down" in rows["last result"]
    assert "7" in rows["failures in a row"]
    assert "12 failures and 1 defect" in rows["survived"]
    assert "10 messages a second" in rows["throughput"]
    assert "━" in rows["delivered"]
    assert "310 of 540" in rows["delivered"]
    assert "effectloop demo: producing" in text.splitlines()[0]
    assert "5.4 s" in text.splitlines()[-1]


def test_the_panel_can_be_drawn_before_anything_was_produced() -> None:
    assert "0 of 0" in drawn(Figures(began=100.0))


def test_brackets_in_an_error_are_no_markup(figures: Figures) -> None:
    figures.last_result = "failure: [red]not a color[/]"
    assert "failure: [red]not a color[/]" in drawn(figures)


def test_piped_it_prints_the_news_and_a_status_once_a_second() -> None:
    figures = Figures(began=100.0)
    out = StringIO()
    with open_view(Console(file=out)) as show:
        figures.enter("producing", 100.0)
        for tenth in range(25):
            figures.count(100 + tenth / 10, Counts(produced=tenth * 10, sent=tenth * 10))
            if tenth == 15:
                figures.tell("failure: [red]the world is down", 101.5)
            show(figures)
    assert out.getvalue().splitlines() == [
        "   0.0 s  producing",
        "   1.0 s  produced 100, delivered 100, 100 a second; starting",
        "   1.5 s  failure: [red]the world is down",
        "   2.0 s  produced 200, delivered 200, 100 a second; starting",
    ]


def test_a_pipe_stays_plain_although_colors_are_forced(figures: Figures) -> None:
    out = StringIO()
    with open_view(Console(file=out, force_terminal=True, force_interactive=True)) as show:
        show(figures)
    assert out.getvalue() == f"   5.4 s  {status(figures)}\n"


def test_a_status_that_comes_late_does_not_shift_the_next_one() -> None:
    figures = Figures(began=100.0)
    out = StringIO()
    with open_view(Console(file=out)) as show:
        for time in (0.95, 1.09, 1.99, 2.0, 2.5, 5.7, 5.9, 6.0):
            figures.count(100 + time, Counts())
            show(figures)
    assert [line.split(" s ")[0].strip() for line in out.getvalue().splitlines()] == [
        "1.1",
        "2.0",
        "5.7",
        "6.0",
    ]


def test_in_a_terminal_it_draws_the_panel_in_place_and_leaves_the_last_one(figures: Figures) -> None:
    out = Terminal()
    console = Console(file=out, force_terminal=True, force_interactive=True, width=100)
    with open_view(console) as show:
        show(figures)
        figures.count(106.0, Counts(produced=540, sent=540))
        show(figures)
    assert "310 of 540" in out.getvalue()
    assert out.getvalue().rindex("540 of 540") > out.getvalue().index("310 of 540")
    assert "\x1b[1A" in out.getvalue()  # the cursor went up to draw over the first panel
