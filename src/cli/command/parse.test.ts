import { describe, expect, test } from 'vitest'
import type { Command, Table } from './command.ts'
import { findCommand } from './find-command.ts'
import { parse } from './parse.ts'

const COMMAND: Command = {
  path: 'thing do',
  summary: 'Do a thing',
  arguments: [
    { name: 'what', summary: 'the thing' },
    { name: 'how', summary: 'the way', choices: ['fast', 'slow'], optional: true },
  ],
  options: [
    { name: 'tag', value: 'text', repeat: true, summary: 'a tag' },
    { name: 'top-k', value: 'n', range: [1, 20], summary: 'how many' },
    { name: 'quiet', short: 'q', summary: 'say less' },
  ],
  confirms: true,
  examples: ['svc thing do it'],
  load: () => Promise.reject(new Error('not loaded in tests')),
}
const DEEP: Command = { ...COMMAND, path: 'apps maintenance run' }
const TABLE: Table = {
  commands: [COMMAND, DEEP],
  groups: [
    { path: 'thing', summary: 'Things' },
    { path: 'apps', summary: 'Apps' },
    { path: 'apps maintenance', summary: 'Their maintenance' },
  ],
  rootOptions: [
    { name: 'help', short: 'h', summary: 'help' },
    { name: 'version', short: 'V', summary: 'version' },
  ],
}

describe('options and arguments', () => {
  test('arrive as their row declares them, wherever they stand', () => {
    const { args, flags } = parse(COMMAND, ['--tag', 'a', 'it', '-q', '--tag=b=c', 'fast', '--top-k', '7', '-y'])
    expect(args).toEqual(['it', 'fast'])
    expect(flags).toEqual({ tag: ['a', 'b=c'], quiet: true, topK: 7, yes: true, output: 'table' })
  })

  test('behind -- everything is an argument', () => {
    expect(parse(COMMAND, ['--', '--top-k']).args).toEqual(['--top-k'])
  })

  test('the last argument takes all remaining words if its row says so, and needs one', () => {
    const several: Command = {
      ...COMMAND,
      arguments: [
        { name: 'what', summary: 'the thing' },
        { name: 'word', summary: 'words', repeat: true },
      ],
    }
    expect(parse(several, ['it', 'a', '-q', 'b', 'c=d']).args).toEqual(['it', 'a', 'b', 'c=d'])
    expect(() => parse(several, ['it'])).toThrow('<word> is missing: words.')
  })

  test('--json is -o json and goes before any other format', () => {
    const format = (...flags: string[]) => parse(COMMAND, ['it', ...flags]).flags.output
    expect([format('--json'), format('-ojson'), format('--output=yaml'), format('--json', '-o', 'table')]).toEqual([
      'json',
      'json',
      'yaml',
      'json',
    ])
  })

  test.each([
    [['it', '--nope'], 'Unknown option: --nope.'],
    [['it', '--tpo-k', '3'], 'Unknown option: --tpo-k. Did you mean --top-k?'],
    [['it', '-x'], 'Unknown option: -x.'],
    [['it', '--top-k', '0'], '--top-k must be a whole number from 1 to 20, not 0.'],
    [['it', '--top-k', '1.5'], '--top-k must be a whole number from 1 to 20, not 1.5.'],
    [['it', '--top-k', 'x'], '--top-k must be a whole number from 1 to 20, not x.'],
    [['it', '--tag'], '--tag needs a value: --tag <text>.'],
    [['it', '--tag', '--json'], '--tag needs a value. Write a value that begins with a dash as --tag=--json.'],
    [['it', '-o', 'xml'], '-o must be one of table, json, yaml, not xml.'],
    [['it', '--quiet=yes'], '--quiet takes no value.'],
    [[], '<what> is missing: the thing.'],
    [['it', 'sideways'], '<how> must be one of fast, slow, not sideways.'],
    [['it', 'fast', 'now'], 'Unexpected argument: now. Put quotes around text with spaces.'],
  ])('%j is refused with words', (rest, message) => {
    expect(() => parse(COMMAND, rest)).toThrow(message)
  })

  test('a lone dash is a value, a value with a dash is written with =', () => {
    expect(parse(COMMAND, ['-', '--tag', '-', '--tag=-x'])).toMatchObject({ args: ['-'], flags: { tag: ['-', '-x'] } })
  })
})

describe('the command', () => {
  test('is found at any depth, and common options may stand before it', () => {
    const argv = ['--json', '--timeout', '3', 'apps', '-oyaml', 'maintenance', '--context=a', 'run', 'x', '-q']
    const rest = ['--json', '--timeout', '3', '-oyaml', '--context=a', 'x', '-q']
    expect(findCommand(argv, TABLE)).toEqual({ kind: 'command', command: DEEP, rest })
  })

  test.each([
    [['--help'], '', true],
    [[], '', true],
    [['help'], '', true],
    [['help', 'thing', 'do'], 'thing do', true],
    [['--help', 'thing'], 'thing', true],
    [['thing', '-h'], 'thing', true],
    [['thing', 'do', '--nonsense', '--help'], 'thing do', true],
    [['thing'], 'thing', false],
    [['apps', 'maintenance'], 'apps maintenance', false],
  ])('%j gives help of "%s"', (argv, path, asked) => {
    expect(findCommand(argv, TABLE)).toEqual({ kind: 'help', path, asked })
  })

  test('behind -- nobody asks for help', () => {
    expect(findCommand(['thing', 'do', '--', '--help'], TABLE)).toMatchObject({ kind: 'command' })
  })

  test('an option of svc itself is told apart from one of a command', () => {
    expect(findCommand(['-V'], TABLE)).toMatchObject({ kind: 'root', option: { name: 'version' } })
    expect(() => findCommand(['--top-k', '3', 'thing', 'do'], TABLE)).toThrow(
      'Unknown option: --top-k. Options of a command follow the command.',
    )
  })

  test.each([
    [['thign'], 'Unknown command: svc thign. Did you mean thing?'],
    [['thing', 'undo'], 'Unknown command: svc thing undo. Commands: do.'],
    [['zzz'], 'Unknown command: svc zzz. Commands: thing, apps.'],
    [['constructor'], 'Unknown command: svc constructor.'],
  ])('%j is refused with words', (argv, message) => {
    expect(() => findCommand(argv, TABLE)).toThrow(message)
  })
})
