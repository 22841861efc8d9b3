import type { Page } from 'playwright-core'

/** By path, the rows of a diff that a reader was shown, without the names of the files. */
export type PatchByPath = ReadonlyMap<string, string>

const CODE = /‹U\+([0-9A-F]{4,6})(?:×(\d+))?›/g

/** Reads codes back, as a careful reader does. */
function readCodes(shown: string): string {
  return shown.replace(CODE, (_, hex: string, count = '1') =>
    String.fromCodePoint(Number.parseInt(hex, 16)).repeat(Number(count)),
  )
}

/** Reads what `svc apps proposals show --diff` printed. */
export function readPrinted(stdout: string): PatchByPath {
  const patches = stdout.split(/^--- a\/(?=.*\n\+\+\+ b\/file-)/m).slice(1)
  return new Map(
    patches.map((patch) => {
      const [name, , ...rows] = patch.replace(/\n$/, '').split('\n')
      return [name!, rows.map((row) => (/^[ +-]/.test(row) ? row[0] + readCodes(row.slice(1)) : row)).join('\n')]
    }),
  )
}

/** Reads what the page of a proposal shows: the text that Chromium rendered, row by row. */
export async function readRendered(page: Page): Promise<PatchByPath> {
  const files = await page.evaluate(() =>
    Array.from(document.querySelectorAll<HTMLElement>('details.file'), (file) => ({
      path: file.querySelector<HTMLElement>('summary code')!.innerText,
      rows: Array.from(file.querySelectorAll<HTMLElement>('table.hunks tr'), (row) => {
        const code = row.querySelector<HTMLElement>('td.code')
        if (!code) return { sign: '', text: row.innerText, isUnended: false }
        const last = code.lastElementChild as HTMLElement | null
        const isUnended = last?.textContent === 'no line end'
        if (isUnended) last.style.display = 'none'
        return { sign: row.querySelector<HTMLElement>('td.sign')!.innerText, text: code.innerText, isUnended }
      }),
    })),
  )
  return new Map(
    files.map(({ path, rows }) => [
      path,
      rows
        .flatMap(({ sign, text, isUnended }) => [
          sign === '' && text.startsWith('@@') ? text : `${SIGNS[sign.trim()]}${readCodes(text)}`,
          ...(isUnended ? ['\\ No newline at end of file'] : []),
        ])
        .join('\n'),
    ]),
  )
}

const SIGNS: Record<string, string> = { '': ' ', '−': '-', '+': '+' }

/** Applies the rows of a diff to a text. Returns undefined if they are no diff of it. */
export function applyShown(before: string, shown: string): string | undefined {
  const lines = before === '' ? [] : before.split(/(?<=\n)/)
  const rows = shown.split('\n')
  let result = ''
  let at = 0
  for (const [index, row] of rows.entries()) {
    const head = /^@@ -(\d+)(?:,(\d+))? /.exec(row)
    if (head) {
      const first = head[2] === '0' ? Number(head[1]) : Number(head[1]) - 1
      while (at < first) result += lines[at++]
      continue
    }
    if (row.startsWith('\\')) continue
    const line = row.slice(1) + (rows[index + 1]?.startsWith('\\') ? '' : '\n')
    if (row[0] !== '+' && lines[at++] !== line) return undefined
    if (row[0] !== '-') result += line
  }
  return result + lines.slice(at).join('')
}
