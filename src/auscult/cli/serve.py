"""`auscult serve`: the annotation workbench in a browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.output import command
from auscult.core import MissingExtraError, OptionError

if TYPE_CHECKING:
    from auscult.server.database.engine import Database
    from auscult.server.server import Server

FOLDER = Path("auscult-workbench")
_path = click.Path(path_type=Path)
folder_argument = click.argument("folder", type=_path, default=FOLDER, required=False)
database_option = click.option(
    "--database",
    "url",
    metavar="URL",
    help="postgresql://USER:PASSWORD@HOST/NAME  [default: SQLite in FOLDER]",
)


@click.command()
@folder_argument
@database_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Others need accounts.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8460,
    show_default=True,
    help="Where it listens.",
)
@click.option("--corpus", type=_path, help="Make a project of this corpus.")
@click.option("--systems", help="Code systems of that project, as NAME,NAME…")
@click.option("--pre-annotators", help="Annotators of the corpus to offer as pre-annotations.")
@click.option("--vocabulary", type=_path, help="Suggest concepts of this vocabulary.")
@click.option("--https", "is_https", is_flag=True, help="People come by https, through a proxy.")
@click.option("--proxies", default="", help="Addresses of proxies to believe, as IP,IP…")
@click.option("--open", "opens", is_flag=True, help="Open it in the browser.")
@command
def serve(
    folder: Path,
    url: str | None,
    host: str,
    port: int,
    corpus: Path | None,
    systems: str | None,
    pre_annotators: str | None,
    vocabulary: Path | None,
    is_https: bool,
    proxies: str,
    opens: bool,
) -> Any:
    """Code charts in a browser, alone or as a team.

    FOLDER keeps the work. Alone, open the address that is printed: it holds a token, and nobody but
    programs on this machine can reach it. A team needs accounts: see auscult team. The first run
    makes a sample project of made-up charts.

    \b
    Example:
      auscult serve --open
      auscult serve work --corpus charts --vocabulary umls
      auscult serve work --database postgresql://auscult@db/auscult --host 0.0.0.0 --https
    """
    server = open_workbench(
        folder,
        url,
        host=host,
        port=port,
        corpus=corpus,
        systems=None if systems is None else tuple(filter(None, systems.split(","))),
        pre_annotators=tuple(filter(None, (pre_annotators or "").split(","))),
        vocabulary=vocabulary,
        is_https=is_https,
        proxies=proxies,
    )
    from auscult.server.start import check_port
    from auscult.server.start import serve as run

    check_port(server.settings)
    token = server.settings.token
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/" + ("" if token is None else f"enter?token={token}")

    def say() -> None:
        click.echo(f"The workbench is at {address}")
        click.echo("Stop it with Ctrl-C; everything that was saved is on disk.")

    def work() -> None:
        if opens:
            webbrowser.open(address)
        run(server)

    # Once the address is printed.
    click.get_current_context().call_on_close(work)
    return {"address": address, "folder": str(folder)}, say


def open_database_of(folder: Path, url: str | None) -> Database:
    """A workbench's database; an error when the libraries are not installed."""
    try:
        from auscult.server.start import open_database
    except ImportError as error:
        raise MissingExtraError("The workbench", "server") from error
    return open_database(folder, url)


def open_workbench(
    folder: Path,
    url: str | None,
    *,
    host: str,
    port: int,
    corpus: Path | None = None,
    systems: tuple[str, ...] | None = None,
    pre_annotators: tuple[str, ...] = (),
    vocabulary: Path | None = None,
    is_https: bool = False,
    proxies: str = "",
) -> Server:
    """The workbench, with a project of the corpus, or with the sample when there is nothing."""
    if corpus is None and (systems is not None or pre_annotators):
        raise OptionError("--systems and --pre-annotators belong to --corpus.")
    database = open_database_of(folder, url)
    from auscult.codes.vocabulary import Vocabulary
    from auscult.server.projects.first import first_project
    from auscult.server.settings import Settings
    from auscult.server.start import open_server

    if vocabulary is not None:
        Vocabulary.open(vocabulary)
        vocabulary = vocabulary.resolve()
    settings = Settings(
        folder=folder.resolve(),
        host=host,
        port=port,
        vocabulary=vocabulary,
        is_https=is_https,
        proxies=proxies,
    )
    server = open_server(settings, database)
    first_project(server, corpus, systems, pre_annotators)
    return server
