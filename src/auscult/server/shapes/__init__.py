"""Request and response schemas. Offsets everywhere count Unicode code points."""
