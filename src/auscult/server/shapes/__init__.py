"""What goes over the wire, in and out. Offsets everywhere count Unicode code points."""
