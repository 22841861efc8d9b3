import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandsOf, guidePages, plainWords, readCommands } from './commands.ts'
import { isListed, NOT_RUN, RUN_BY } from './not-run.ts'
import { GUIDES_THAT_RUN } from './steps.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PAGES = guidePages()
const COMMANDS = readCommands()

describe('OP-11 the commands of the guides', () => {
  it('each is run by a test, or listed with the reason why it is not', () => {
    expect(COMMANDS.length).toBeGreaterThan(250)
    const lists = [...NOT_RUN, ...RUN_BY]
    const missing = COMMANDS.filter(
      (command) => !GUIDES_THAT_RUN.includes(command.page) && !lists.some((entry) => isListed(command, entry)),
    )
    expect(missing.map(({ page, line, text }) => `${page}:${line}: ${text}`)).toEqual([])
  })

  it('the lists have no entry that fits no command, and name only files that exist', () => {
    const unused = [...NOT_RUN, ...RUN_BY].filter((entry) => !COMMANDS.some((command) => isListed(command, entry)))
    expect(unused).toEqual([])
    const named = [...NOT_RUN.map(({ reason }) => reason), ...RUN_BY.map(({ test }) => test)]
    const files = named.flatMap((text) => text.match(/\b(?:test|src)\/[\w/.-]*\w/g) ?? [])
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  })

  it('every code block names its language, so that no command hides in another', () => {
    const unnamed = PAGES.flatMap((page) => {
      const fences = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^ *```(.*)$/gm)].map(
        ([, language]) => language,
      )
      return fences.filter((language, at) => at % 2 === 0 && language === '').map(() => page)
    })
    expect(unnamed).toEqual([])
  })

  it('a script is split at the ends of its commands', () => {
    const script = [
      'export A=1 # one',
      "svc api PUT /x --data '{",
      '  "a": "#"',
      "}'",
      'for n in a b; do',
      '  echo "$n"',
      'done >.env',
      'curl x \\',
      '  -d y',
    ]
    const commands = commandsOf('a.md', `# A\n\n\`\`\`sh\n${script.join('\n')}\n\`\`\`\n\n  \`\`\`sh\n  ls\n  \`\`\`\n`)
    expect(commands.map(({ line, text }) => [line, text])).toEqual([
      [4, 'export A=1'],
      [5, 'svc api PUT /x --data \'{\n  "a": "#"\n}\''],
      [8, 'for n in a b; do\n  echo "$n"\ndone >.env'],
      [11, 'curl x \\\n  -d y'],
      [16, 'ls'],
    ])
  })

  it('a command without anything for a shell is split into its words', () => {
    expect(plainWords(`svc a "b c" --d='e f' -- -g`)).toEqual({
      words: ['svc', 'a', 'b c', '--d=e f', '--', '-g'],
      stdinFile: undefined,
    })
    expect(plainWords('svc a < key.txt')).toEqual({ words: ['svc', 'a'], stdinFile: 'key.txt' })
    for (const text of ['svc a | b', 'svc $A', 'svc "$A"', 'a && b', 'svc a > b', 'svc *.tgz', 'svc a \\\n b'])
      expect(plainWords(text)).toBeUndefined()
  })
})
