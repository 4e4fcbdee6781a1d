"""The tables and figures of the papers that Auscult follows, made again and judged."""
