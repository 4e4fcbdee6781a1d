"""The annotation workbench: people code charts in a browser, and no change is ever lost."""
