import { type Argument, type Command, type Option, optionsOf, type Table } from './command.ts'
import { childrenOf } from './find-command.ts'

const ABOUT = 'Ask questions about your company data from a terminal, a script or an agent.'

const ENVIRONMENT = [
  ['SVC_API_URL, SVC_API_KEY', 'login to use instead of a context'],
  ['SVC_CONTEXT', 'context to use instead of the current one'],
  ['SVC_CONFIG_DIR', 'folder for saved contexts'],
  ['NO_COLOR', 'turn off colors'],
  ['PAGER', 'program for output that is longer than the terminal (default: less)'],
] as const

export const EXITS = [
  ['0', 'success'],
  ['1', 'unexpected error, or the instance cannot be reached'],
  ['3', 'not logged in, or not allowed'],
  ['4', 'not found'],
  ['5', 'wrong usage, or invalid request'],
  ['6', 'conflict with the current state'],
  ['7', 'timed out'],
  ['11', 'a maintenance run recorded a finding, or the instance is newer than the client'],
  ['130', 'interrupted'],
] as const

type Style = { strong: (text: string) => string; columns: number }

/** Returns the help text of a command, of a group, or of svc itself if `path` is empty. */
export function helpFor(path: string, table: Table, style: Style): string {
  const command = table.commands.find((row) => row.path === path)
  const parts = command ? commandHelp(command, style) : groupHelp(path, table, style)
  return parts.filter((part) => part !== '').join('\n\n')
}

function commandHelp(command: Command, style: Style): string[] {
  return [
    wrap(command.description ?? `${command.summary}.`, style.columns),
    `${style.strong('Usage:')} ${usageOf(command)}`,
    section('Arguments', (command.arguments ?? []).map(argumentLine), style),
    section('Options', optionsOf(command).map(optionLine), style),
    examples(command.examples, style),
  ]
}

function groupHelp(path: string, table: Table, style: Style): string[] {
  const group = table.groups.find((row) => row.path === path)
  const children = childrenOf(path, table).map(({ word, summary }) => [word, summary] as const)
  const found = table.commands.filter((row) => path !== '' && row.path.startsWith(`${path} `)).slice(0, 3)
  return [
    group ? `${group.summary}.` : ABOUT,
    `${style.strong('Usage:')} ${['svc', path, '<command> [options]'].filter(Boolean).join(' ')}`,
    section('Commands', children, style),
    ...(group
      ? [
          examples(
            found.map((row) => row.examples[0]),
            style,
          ),
        ]
      : rootHelp(table, style)),
    `Use svc <command> --help for more information about a command.`,
  ]
}

function rootHelp(table: Table, style: Style): string[] {
  return [
    section('Options', table.rootOptions.map(optionLine), style),
    section('Environment', ENVIRONMENT, style),
    section('Exit codes', EXITS, style),
    examples(['svc login', 'svc datasource list', 'svc datasource query db_handbook "my laptop was stolen"'], style),
  ]
}

export function usageOf({ path, arguments: given = [] }: Command): string {
  const words = given.map(({ name, optional, repeat }) =>
    optional ? `[${name}]` : repeat ? `<${name}>...` : `<${name}>`,
  )
  return ['svc', path, ...words, '[options]'].join(' ')
}

function argumentLine({ name, summary, choices }: Argument): readonly [string, string] {
  return [name, choices ? `${summary}: ${choices.join(', ')}` : summary]
}

function optionLine(option: Option): readonly [string, string] {
  const { short, choices, summary } = option
  return [
    `${short ? `-${short}, ` : '    '}${spelling(option)}`,
    choices ? `${summary}: ${choices.join(', ')}` : summary,
  ]
}

export function spelling({ name, value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} <${value}>`
}

function examples(lines: readonly string[], style: Style): string {
  return [style.strong('Examples:'), ...lines.map((line) => `  ${line}`)].join('\n')
}

function section(title: string, rows: readonly (readonly [string, string])[], style: Style): string {
  if (rows.length === 0) return ''
  const width = Math.max(...rows.map(([left]) => left.length))
  const lines = rows.map(([left, right]) => {
    const text = wrap(right, Math.max(20, style.columns - width - 4)).replaceAll('\n', `\n${' '.repeat(width + 4)}`)
    return `  ${left.padEnd(width)}  ${text}`
  })
  return [style.strong(`${title}:`), ...lines].join('\n')
}

function wrap(text: string, width: number): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}
