import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type GuideCommand = { readonly page: string; readonly line: number; readonly text: string }

const ROOT = join(import.meta.dirname, '..', '..')
const PAGES = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'docs/**/*.md']
const BLOCK = /^( *)```(?:sh|bash|console|shell)\n([\s\S]*?)^\1```$/gm

/** Returns every command in a shell block of every guide, in the order of the pages and of each page. */
export function readCommands(): GuideCommand[] {
  return guidePages().flatMap((page) => commandsOf(page, readFileSync(join(ROOT, page), 'utf8')))
}

export function guidePages(): string[] {
  return globSync(PAGES, { cwd: ROOT })
    .map((page) => page.replaceAll('\\', '/'))
    .sort()
}

export function commandsOf(page: string, markdown: string): GuideCommand[] {
  return [...markdown.matchAll(BLOCK)].flatMap(({ index, 2: code }) => {
    let line = markdown.slice(0, index).split('\n').length + 1
    return splitCommands(code!).flatMap((text) => {
      const command = { page, line, text: text.trim() }
      line += text.split('\n').length
      return command.text === '' ? [] : [command]
    })
  })
}

/** Splits a script at the ends of its commands: a quote, a loop and a line that ends in a backslash go on. */
function splitCommands(code: string): string[] {
  const commands: string[] = []
  let open: string | undefined
  for (const line of code.replace(/\n$/, '').split('\n')) {
    const text = open === undefined ? line : `${open}\n${line}`
    open = isComplete(text) ? undefined : text
    if (open === undefined) commands.push(withoutComment(text))
  }
  return open === undefined ? commands : [...commands, open]
}

function isComplete(text: string): boolean {
  const bare = withoutQuoted(text)
  if (/['"]/.test(bare) || text.endsWith('\\')) return false
  return !/\bdo$/m.test(bare) || /^done\b/m.test(bare)
}

function withoutQuoted(text: string): string {
  return withoutComment(text).replace(/'[^']*'|"(?:\\.|[^"\\])*"/g, '')
}

/** Removes a comment at the end of a line, which keeps the name of the command stable when its words change. */
function withoutComment(text: string): string {
  return text.replace(/^((?:[^'"#]|'[^']*'|"(?:\\.|[^"\\])*"|(?<=\S)#)*?)\s+#.*$/gm, '$1')
}

type Plain = { readonly words: readonly string[]; readonly stdinFile: string | undefined }

/** Returns the words of a command that needs no shell, or undefined for one that does. */
export function plainWords(text: string): Plain | undefined {
  const [, command = text, stdinFile] = /^(.*?) < (\S+)$/s.exec(text) ?? []
  const pattern = /'([^']*)'|"([^"$`\\]*)"|([^\s'"$`|;&<>()*?\\]+)|(\s+)|(.)/gs
  const words: string[] = []
  let isInWord = false
  for (const [, single, double, bare, space, other] of command.matchAll(pattern)) {
    if (other !== undefined) return undefined
    const part = single ?? double ?? bare
    if (part !== undefined) {
      if (isInWord) words.push(words.pop()! + part)
      else words.push(part)
    }
    isInWord = space === undefined
  }
  return { words, stdinFile }
}
