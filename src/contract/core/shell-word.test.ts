import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { shellOption, shellWord } from './shell-word.ts'

const echoed = (command: string) => execFileSync('bash', ['-c', `printf %s ${command}`], { encoding: 'utf8' })

describe('CO-07 a word of a command that is pasted into a shell', () => {
  it.each([
    'plain',
    `it's "$(id)" \`x\` \\`,
    'two\nlines\r',
    'a\x03\x1b[201~\x7f\x15b',
    'c1 \u009b31m and \u2028',
    'ends in backslash\\',
    `\x03' $(id) '`,
    'Übersicht\t日本',
    '\x031',
  ])('is that word: %j', (text) => {
    expect(echoed(shellWord(text))).toBe(text)
  })

  it('has no control character, which a terminal could obey before the shell reads the line', () => {
    const all = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).join('')
    expect(shellWord(`${all}\u2028\u2029\u202e`)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  })

  it('is no option of its own as the value of one', () => {
    expect(shellOption('table', 'public.articles')).toBe('--table public.articles')
    expect(shellOption('table', '--api-url=https://x.example')).toBe('--table=--api-url=https://x.example')
    expect(shellOption('table', '-a b')).toBe(`--table='-a b'`)
  })
})
