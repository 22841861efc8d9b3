import { type Html, html, render, unescaped } from '#edge/pages/html.ts'

export type RenderedMail = { readonly subject: string; readonly text: string; readonly html: string }

type Parts = { readonly title: string; readonly body: Html; readonly footer?: Html | null }

/**
 * Mail programs drop parts of a style sheet, so what matters is inline and the sheet only adds the dark colours. Widths
 * are limits and never fixed, so that nothing scrolls sideways on a phone.
 */
export function mailDocument({ title, body, footer }: Parts): string {
  return render(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
<style>${unescaped(DARK_STYLE)}</style>
</head>
<body class="paper" style="margin:0;padding:16px;background:#f4f5f7;color:#1c2128;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Arial,sans-serif;-webkit-text-size-adjust:100%">
<div class="card" style="max-width:560px;margin:0 auto;padding:24px 20px;background:#ffffff;border:1px solid #d0d5db;border-radius:12px;box-sizing:border-box">
${body}</div>
${footer}</body>
</html>
`)
}

/** Begins a mail. What follows has a margin above and none below, so that the card ends evenly after whatever is last. */
export function mailHeading(text: string): Html {
  return html`<h1 style="margin:0;font-size:20px;line-height:1.25;overflow-wrap:anywhere">${text}</h1>\n`
}

export function mailParagraph(text: string): Html {
  return html`<p style="margin:16px 0 0;overflow-wrap:anywhere">${text}</p>\n`
}

/** The address is shown as well, because some mail programs remove links or rewrite them. */
export function mailButton({ label, link }: { readonly label: string; readonly link: string }): Html {
  return html`<p style="margin:20px 0 0"><a class="button" href="${link}" style="display:inline-block;padding:10px 18px;background:#4250c9;color:#ffffff;border-radius:8px;font-weight:600;text-decoration:none">${label}</a></p>
<p class="soft" style="margin:16px 0 0;color:#59636e;font-size:13px;overflow-wrap:anywhere;word-break:break-word">Or open this address: ${link}</p>
`
}

export function mailNote({ text, link }: { readonly text: string; readonly link: string }): Html {
  return html`<p class="soft" style="margin:16px 0 0;color:#59636e;font-size:13px;overflow-wrap:anywhere;word-break:break-word">${text} <a class="link" href="${link}" style="color:#4250c9">${link}</a></p>
`
}

const DARK_STYLE = `:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .paper { background: #0f1215 !important; color: #dfe3e8 !important; }
  .card { background: #181c21 !important; border-color: #363e47 !important; }
  .soft { color: #9aa4b0 !important; }
  .link { color: #a3b0ff !important; }
}`
