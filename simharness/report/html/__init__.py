"""The report as one HTML file that needs nothing else: no network, no server, no other file."""

from simharness.report.html.page import as_html as as_html
