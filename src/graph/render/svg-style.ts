/** The picture's style sheet. No custom properties: not every program that shows SVG knows them. */
export const STYLE = `
.rg text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.rg .paper{fill:#fff}
.rg .band{fill:#f6f8fa}
.rg .heading{font-size:18px;font-weight:600;fill:#1f2328}
.rg .facts,.rg .legend,.rg .band-note{font-size:12px;fill:#59636e}
.rg .band-note{font-size:11px}
.rg .band-name{font-size:13px;font-weight:600;fill:#414a54}
.rg .node rect,.rg .node polygon,.rg .node circle{stroke-width:1.5}
.rg .node:hover rect,.rg .node:hover polygon,.rg .node:hover circle{stroke-width:2.5}
.rg .name{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px;font-weight:600;text-anchor:middle;fill:#1f2328}
.rg .what{font-size:10px;letter-spacing:.4px;text-anchor:middle;fill:#59636e}
.rg .transform rect{fill:#e2f5ea;stroke:#2f9e63}
.rg .read rect{fill:#e1eefc;stroke:#3a7fd0}
.rg .write rect{fill:#fdecd8;stroke:#cf7a22}
.rg .tool polygon{fill:#eceff2;stroke:#818b98}
.rg .any circle{fill:#fff;stroke:#818b98;stroke-dasharray:2 3}
.rg .missing rect{fill:#fff;stroke:#d1242f;stroke-dasharray:5 4}
.rg .missing .name,.rg .missing .what{fill:#b3202a}
.rg .edge path{fill:none;stroke:#8a94a0;stroke-width:1.5}
.rg .edge .head{fill:#8a94a0;stroke:none}
.rg .edge:hover path{stroke-width:2.5}
.rg .edge.declared path{stroke-dasharray:6 4}
.rg .edge.dynamic path{stroke-dasharray:1.5 4;stroke-linecap:round}
.rg .edge.untrusted path{stroke:#8250df;stroke-width:2.5}
.rg .edge.untrusted .head{fill:#8250df;stroke:none}
.rg .edge.cycle path{stroke:#d1242f;stroke-width:2}
.rg .edge.cycle .head{fill:#d1242f;stroke:none}
@media (prefers-color-scheme:dark){
.rg .paper{fill:#0d1117}
.rg .band{fill:#161b22}
.rg .heading,.rg .name{fill:#f0f3f6}
.rg .facts,.rg .legend,.rg .band-note,.rg .what{fill:#9aa4af}
.rg .band-name{fill:#c9d1d9}
.rg .transform rect{fill:#10301f;stroke:#3fb274}
.rg .read rect{fill:#0f2a4a;stroke:#5498e8}
.rg .write rect{fill:#3a2508;stroke:#d98b3a}
.rg .tool polygon{fill:#262c34;stroke:#8b949e}
.rg .any circle{fill:#0d1117;stroke:#8b949e}
.rg .missing rect{fill:#0d1117;stroke:#f85149}
.rg .missing .name,.rg .missing .what{fill:#ff7b72}
.rg .edge path{stroke:#768390}
.rg .edge .head{fill:#768390}
.rg .edge.untrusted path{stroke:#ab7df8}
.rg .edge.untrusted .head{fill:#ab7df8}
.rg .edge.cycle path{stroke:#f85149}
.rg .edge.cycle .head{fill:#f85149}
}`;
