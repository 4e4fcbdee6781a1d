"""A Tabular List of a few codes, and index files, written by hand."""

from __future__ import annotations

TABULAR = """<?xml version="1.0" encoding="utf-8"?>
<ICD10CM.tabular>
  <version>2031</version>
  <chapter>
    <name>4</name>
    <desc>Endocrine diseases (E00-E89)</desc>
    <excludes1><note>disorders of newborn (P70-P74)</note></excludes1>
    <section id="E08-E13">
      <desc>Diabetes mellitus (E08-E13)</desc>
      <codeAlso><note>anything of use</note></codeAlso>
      <inclusionTerm><note>a term over the block</note></inclusionTerm>
      <diag>
        <name>E11</name>
        <desc>Type 2 diabetes mellitus</desc>
        <includes><note>diabetes NOS</note></includes>
        <useAdditionalCode><note>insulin  (Z79.4)</note></useAdditionalCode>
        <diag><name>E11.6</name><desc>With complications</desc>
          <diag>
            <name>E11.65</name><desc>With hyperglycemia</desc>
            <inclusionTerm><note>Sweet blood</note>
              <note>Diabetes out of control</note></inclusionTerm>
          </diag>
        </diag>
        <diag><name>E11.9</name><desc>Without complications</desc></diag>
      </diag>
      <diag><name>E13</name><desc>Other diabetes</desc></diag>
    </section>
  </chapter>
  <chapter>
    <name>19</name>
    <desc>Injury (S00-T88)</desc>
    <section id="S00-S09">
      <desc>Injuries to the head (S00-S09)</desc>
      <diag>
        <name>S06</name>
        <desc>Intracranial injury</desc>
        <notes><note>7th characters D and S do not apply to codes in category S06 with 6th character
          7 - death due to injury, or 8 - death due to other cause.</note></notes>
        <sevenChrNote><note>To be added to each code from category S06</note></sevenChrNote>
        <sevenChrDef>
          <extension char="A">initial encounter</extension>
          <extension char="D">subsequent encounter</extension>
          <extension char="S">sequela</extension>
        </sevenChrDef>
        <diag><name>S06.0</name><desc>Concussion</desc></diag>
        <diag><name>S06.1</name><desc>Edema</desc>
          <diag placeholder="true"><name>S06.1X</name><desc>Edema</desc>
            <diag><name>S06.1X7</name><desc>Edema with death</desc></diag>
            <diag><name>S06.1X9</name><desc>Edema NOS</desc></diag>
          </diag>
        </diag>
        <diag><name>S06.9</name><desc>Nearer table</desc>
          <sevenChrNote><note>To be added to code S06.9</note></sevenChrNote>
          <sevenChrDef><extension char="B">open</extension></sevenChrDef>
        </diag>
      </diag>
    </section>
  </chapter>
</ICD10CM.tabular>
"""


def index(title: str = "ICD-10-CM INDEX TO DISEASES and INJURIES", year: str = "2031") -> str:
    """An index of one main term."""
    return (
        f"<ICD10CM.index><version>{year}</version><title>{title}</title><letter><title>A</title>"
        "<mainTerm><title>Abasia</title><code>F44.4</code>"
        '<term level="1"><title>astasia</title><code>F44.4</code></term></mainTerm></letter>'
        "</ICD10CM.index>"
    )


def columns(first: str, year: str = "2031") -> str:
    """A table of which the first column has a heading."""
    return (
        f'<ICD10CM.index><version>{year}</version><indexHeading><head col="1">{first}</head>'
        '</indexHeading><letter><title>A</title><mainTerm><title>a</title><cell col="2">C80.1'
        "</cell></mainTerm></letter></ICD10CM.index>"
    )
