"""`auscult serve`: the annotation workbench in a browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.options import vocabulary
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
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; others than local ones need accounts.",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8460,
    show_default=True,
    help="Port to listen on.",
)
@click.option("--corpus", type=_path, help="Create a project from this corpus.")
@click.option("--systems", metavar="NAME,NAME…", help="Code systems of the new project.")
@click.option(
    "--pre-annotators",
    metavar="NAME,NAME…",
    help="Annotators of the corpus to show as pre-annotations.",
)
@click.option(
    "--pre-annotate",
    metavar="MODEL",
    help="Model that suggests codes in the new project's notes: codebook, the folder of a trained "
    "model, or none.  [default: codebook if ICD-10-CM is among the systems and there are no "
    "--pre-annotators]",
)
@vocabulary()
@click.option("--https", "is_https", is_flag=True, help="The workbench is behind an HTTPS proxy.")
@click.option("--proxies", default="", metavar="IP,IP…", help="Trusted proxies.")
@click.option("--open", "opens", is_flag=True, help="Open the workbench in the browser.")
@command
def serve(
    folder: Path,
    url: str | None,
    host: str,
    port: int,
    corpus: Path | None,
    systems: str | None,
    pre_annotators: str | None,
    pre_annotate: str | None,
    vocabulary: Path | None,
    is_https: bool,
    proxies: str,
    opens: bool,
) -> Any:
    """Start the annotation workbench: computer-assisted coding in a browser.

    FOLDER stores the work. To work alone, open the address that is printed; it contains a token and
    is reachable from this machine only. A team needs accounts: see auscult team. The first run
    creates a sample project of synthetic charts.

    Coders of a new project accept and correct the suggestions of the model codebook, which run in
    the background. Suggestions can bias coders: --pre-annotate none starts without.

    \b
    Example:
      auscult serve --open
      auscult serve work --corpus charts --vocabulary umls
      auscult serve work --corpus charts --systems ICD-10-CM --pre-annotate model
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
        pre_annotate=pre_annotate,
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
        click.echo(f"The workbench is running at {address}")
        click.echo("Stop it with Ctrl-C. Saved work is on disk.")

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
    pre_annotate: str | None = None,
    vocabulary: Path | None = None,
    is_https: bool = False,
    proxies: str = "",
) -> Server:
    """The workbench, with a project of the corpus, or with the sample when there is nothing."""
    if corpus is None and (systems is not None or pre_annotators or pre_annotate):
        raise OptionError("--systems, --pre-annotators and --pre-annotate need --corpus.")
    if pre_annotate is not None:
        from auscult.server.preannotate.choice import named_choice

        named_choice(pre_annotate)  # an error before anything is made
    database = open_database_of(folder, url)
    from auscult.codes.vocabulary import Vocabulary
    from auscult.server.projects.default_projects import first_project
    from auscult.server.settings import ServerSettings
    from auscult.server.start import open_server

    if vocabulary is not None:
        Vocabulary.open(vocabulary)
        vocabulary = vocabulary.resolve()
    settings = ServerSettings(
        folder=folder.resolve(),
        host=host,
        port=port,
        vocabulary=vocabulary,
        is_https=is_https,
        proxies=proxies,
    )
    server = open_server(settings, database)
    first_project(server, corpus, systems, pre_annotators, pre_annotate)
    return server
