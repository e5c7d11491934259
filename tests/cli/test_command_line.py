"""The command line: what cannot be served is refused in one line, with exit code 2 and no traceback."""

from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from effectloop.cli import app, main


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run the command line, which must refuse, and answer what it says."""
    assert main.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("effectloop: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    return err.removeprefix("effectloop: ").removesuffix("\n")


@pytest.mark.parametrize(
    ("rate", "got"),
    [("-1", "-1.0"), ("-0.001", "-0.001"), ("nan", "nan"), ("inf", "inf"), ("10001", "10001.0")],
)
def test_a_rate_out_of_range_is_refused(capsys: pytest.CaptureFixture[str], rate: str, got: str) -> None:
    said = refused(capsys, "demo", "--rate", rate)
    assert said == f"demo: --rate must be from 0 to 10000 messages a second, got {got}"


@pytest.mark.parametrize("seconds", ["-1", "nan"])
def test_a_duration_below_zero_is_refused(capsys: pytest.CaptureFixture[str], seconds: str) -> None:
    said = refused(capsys, "demo", "--seconds", seconds)
    assert said == f"demo: --seconds must be a duration of at least 0 s, got {float(seconds)}"


def test_a_duration_without_end_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "demo", "--seconds", "inf")
    assert said == "demo: --seconds must be a duration of at most 1000000000 s (31 years), got inf"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["demo", "--rate", "many"], "--rate"),
        (["demo", "--seconds"], "--seconds"),
        (["demo", "--colour"], "--colour"),
        (["demo", "--backend", "curio"], "curio"),
        (["demo", "--no-resume"], "--no-resume"),
        (["demo", "now"], "now"),
        (["demmo"], "demmo"),
    ],
)
def test_what_no_command_knows_is_refused_by_name(
    capsys: pytest.CaptureFixture[str], arguments: list[str], word: str
) -> None:
    assert word in refused(capsys, *arguments)


def test_resume_without_a_file_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "demo", "--resume")
    assert said == "demo: --resume needs --db PATH, the outbox to go on with"


def test_resume_of_a_file_that_is_not_there_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    missing = tmp_path / "demo.db"
    said = refused(capsys, "demo", "--db", str(missing), "--resume")
    assert said == f"demo: --resume needs the files of an earlier run, and there is no {missing}"
    assert list(tmp_path.iterdir()) == []


def test_resume_of_an_outbox_without_its_world_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    outbox = tmp_path / "demo.db"
    outbox.touch()
    said = refused(capsys, "demo", "--db", str(outbox), "--resume")
    assert said.endswith(f"there is no {tmp_path / 'demo.world.db'}")


def test_resume_of_something_else_than_a_database_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in ("demo.db", "demo.world.db"):
        (tmp_path / name).write_text("a letter, not a database\n" * 100)
    said = refused(capsys, "demo", "--db", str(tmp_path / "demo.db"), "--resume")
    assert said.endswith("(file is not a database)")


@pytest.mark.parametrize("name", ["demo.db", "demo.world.db"])
def test_a_new_run_never_touches_a_file_that_exists(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("precious")
    said = refused(capsys, "demo", "--db", str(tmp_path / "demo.db"))
    assert said == f"demo: --db must be a new file, and {tmp_path / name} exists; --resume goes on with it"
    assert (tmp_path / name).read_text() == "precious"


def test_a_path_that_cannot_be_written_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "no such folder" / "demo.db"
    said = refused(capsys, "demo", "--db", str(path))
    assert said == (
        f"demo: --db must be an SQLite file that can be written, got {path} (unable to open database file)"
    )


def test_a_name_that_the_system_refuses_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = refused(capsys, "demo", "--db", str(tmp_path / ("x" * 300)))
    assert said.startswith("demo: --db must be an SQLite file that can be written")


@pytest.mark.parametrize("folder", ["", ".", "..", "/"])
def test_a_folder_is_no_file(capsys: pytest.CaptureFixture[str], folder: str) -> None:
    said = refused(capsys, "demo", "--db", folder)
    assert said == f"demo: --db must be a file, and {Path(folder)} is a folder"


def no_package(name: str) -> ModuleSpec | None:
    return None


def test_trio_is_asked_for_by_name_when_it_is_not_installed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "find_spec", no_package)
    said = refused(capsys, "demo", "--backend", "trio")
    assert said == "demo: --backend trio needs the package trio: pip install trio"


def test_without_the_extra_the_command_line_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main, "find_spec", no_package)
    assert refused(capsys, "demo") == "the commands need an extra: pip install 'effectloop[cli]'"


def test_help_names_every_option_and_its_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["demo", "--help"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for word in ("--seconds", "--rate", "--seed", "--db", "--resume", "--backend", "10.0", "100.0"):
        assert word in out


def test_without_a_command_it_shows_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main([]) == 0
    assert "demo" in capsys.readouterr().out


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["--version"]) == 0
    assert capsys.readouterr().out == "0.1.0\n"
