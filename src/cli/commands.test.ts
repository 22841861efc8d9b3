import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ERRORS } from '#contract/core/errors.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { optionsOf } from './command/command.ts'
import { EXITS, helpFor, spelling, usageOf } from './command/help.ts'
import { TABLE } from './commands.ts'

const rows = TABLE.commands.map((command) => [command.path, command] as const)

describe('the table of commands', () => {
  test('names each command once, and each group on the way to one has its line', () => {
    const paths = TABLE.commands.map((command) => command.path)
    expect(paths).toEqual([...new Set(paths)])
    const needed = paths.flatMap((path) =>
      path
        .split(' ')
        .slice(0, -1)
        .map((_, n) =>
          path
            .split(' ')
            .slice(0, n + 1)
            .join(' '),
        ),
    )
    expect([...new Set(needed)].sort()).toEqual(TABLE.groups.map((group) => group.path).sort())
  })

  test.each(rows)('%s spells each option once', (_, command) => {
    const spelled = optionsOf(command).flatMap(({ name, short }) => (short ? [name, short] : [name]))
    expect(spelled).toEqual([...new Set(spelled)])
  })

  test.each(rows)('%s has code to run', async (_, command) => {
    expect(typeof (await command.load()).run).toBe('function')
  })
})

describe('CL-03 help', () => {
  test.each(rows)('%s shows usage, every argument and option, and an example of itself', async (path, command) => {
    const { exit, stdout, stderr } = await runSvc([...path.split(' '), '--help'])
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(stdout).toContain(`Usage: ${usageOf(command)}\n`)
    for (const { name, summary } of command.arguments ?? [])
      expect(stdout).toMatch(new RegExp(`  ${name} +${escaped(summary)}`))
    for (const option of optionsOf(command)) expect(stdout).toContain(spelling(option))
    for (const example of command.examples) expect(stdout).toContain(`\n  ${example}\n`)
    expect(command.examples.every((example) => example.includes(`svc ${path}`))).toBe(true)
  })

  test.each([['', ...TABLE.groups.map((group) => group.path)]].flat())('"%s" lists what is below it', async (path) => {
    const words = path === '' ? [] : path.split(' ')
    const { exit, stdout } = await runSvc([...words, '--help'])
    expect(exit).toBe(0)
    for (const command of TABLE.commands.filter((row) => row.path.startsWith(path))) {
      expect(stdout).toMatch(new RegExp(`^  ${command.path.split(' ')[words.length]} `, 'm'))
    }
  })

  test('lines are as long as the terminal is wide', () => {
    const text = helpFor('login', TABLE, { strong: (line) => line, columns: 60 })
    const long = text.split('\n').filter((line) => line.length > 60 && !line.startsWith('  svc '))
    expect(long).toEqual([])
  })

  test('a group alone is half a command: help on stderr, exit 5', async () => {
    const { exit, stdout, stderr } = await runSvc(['context'])
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: '' })
    expect(stderr).toContain('Usage: svc context <command>')
  })

  test('CL-02 names every exit code that the table of errors has', () => {
    const named = EXITS.map(([code]) => Number(code))
    expect(named).toEqual([0, 1, 3, 4, 5, 6, 7, 11, 130])
    for (const { exit } of Object.values(ERRORS)) expect(named).toContain(exit)
  })
})

describe('CL-03 hints', () => {
  /** Help texts, scripts for shells and texts for agents. They name the command as it is installed. */
  const OTHER_TEXTS =
    /^commands\.ts$|^commands\/apps\/alias\.ts$|\/index\.ts$|^command\/help\.ts$|^completion\/|^skills\//
  const words = new Set([...TABLE.commands, ...TABLE.groups].map(({ path }) => path.split(' ')[0]))

  test('name the command as the person runs it, never a fixed `svc`', () => {
    const files = globSync('**/*.ts', { cwd: import.meta.dirname })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => !path.endsWith('.test.ts') && !OTHER_TEXTS.test(path))
    const sources = files.map((path) => ({ path, text: readFileSync(join(import.meta.dirname, path), 'utf8') }))
    expect(sources.filter(({ text }) => text.includes('program} ')).length).toBeGreaterThan(20)
    expect(sources.flatMap(({ path, text }) => fixedNames(text).map((line) => `${path}: ${line}`))).toEqual([])
  })

  test('a hint with a fixed `svc` is found, a comment and other uses of the word are not', () => {
    const hints = ["none: 'No apps. Create one: svc apps create',", 'const again = `svc login`']
    expect(fixedNames(hints.join('\n'))).toEqual(hints)
    expect(fixedNames('/** As `svc apps list`. */\n * see `svc login`\n// svc login')).toEqual([])
    expect(fixedNames("'There is no svc at this address.'\n'This version of svc does not know it.'")).toEqual([])
  })

  /** Returns the lines of code that name a command of svc after the fixed word `svc`. */
  function fixedNames(text: string): string[] {
    const lines = text.split('\n').map((line) => line.trim())
    const code = lines.filter((line) => !/^(?:\/?\*|\/\/)/.test(line))
    return code.filter((line) => [...line.matchAll(/\bsvc ([a-z]+)/g)].some(([, word]) => words.has(word)))
  }
})

function escaped(text: string): string {
  // Help wraps long texts; the first words are enough to find them.
  return text.slice(0, 30).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
