"""The annotation workbench: people code charts in a browser, and nothing they did is lost."""
