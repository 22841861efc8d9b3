import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Command, optionsOf } from '../src/cli/command/command.ts'
import { EXITS, spelling } from '../src/cli/command/help.ts'
import { TABLE } from '../src/cli/commands.ts'

const GUIDE = readFileSync(join(import.meta.dirname, '..', 'docs', 'cli.md'), 'utf8')
const SECTIONS = new Map(
  GUIDE.split(/^### /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text.replaceAll('\n', ' ')]),
)
/** Told once for all commands that take them. */
const COMMON = ['output', 'json', 'no-pager', 'timeout', 'context', 'help']

describe('CL-03 the guide of the client', () => {
  it('has a section for each command, in the order of the table, and for no other', () => {
    expect([...SECTIONS.keys()]).toEqual(TABLE.commands.map(({ path }) => `svc ${path}`))
  })

  it.each(TABLE.commands.map((command) => [command.path, command] as const))(
    '%s: what it does, its examples, arguments and options are as the table has them',
    (path, command) => {
      const section = SECTIONS.get(`svc ${path}`)!
      for (const text of textsOf(command)) expect(section).toContain(text)
    },
  )

  it('names the common options and those of svc itself', () => {
    const common = GUIDE.slice(GUIDE.indexOf('## Commands'), GUIDE.indexOf('### '))
    for (const option of ['--context', '--timeout', '-o', '--json', '--no-pager', '--version', '--skill-prompt']) {
      expect(common).toContain(option)
    }
  })

  it('CL-02 has a line for each exit code', () => {
    for (const [code] of EXITS) expect(GUIDE).toMatch(new RegExp(`^\\| ${code} \\| \\S`, 'm'))
  })

  it('names each variable the client reads for people', () => {
    const config = readFileSync(join(import.meta.dirname, '..', 'src', 'cli', 'command', 'config.ts'), 'utf8')
    for (const name of new Set(config.match(/\benv\.(SVC_\w+|NO_COLOR|BROWSER|PAGER)/g))) {
      expect(GUIDE).toContain(`\`${name.slice(4)}\``)
    }
  })
})

function textsOf(command: Command): string[] {
  const own = optionsOf(command).filter(({ name }) => !COMMON.includes(name))
  return [
    command.description ?? `${command.summary}.`,
    ...command.examples,
    ...(command.arguments ?? []).flatMap(({ name, summary }) => [`<${name}>`, summary]),
    ...own.flatMap((option) => [spelling(option), option.summary]),
  ]
}
