import { type Command, type Completed, type Option, optionsOf, type Table } from '../command/command.ts'
import { childrenOf } from '../command/find-command.ts'

export type Word = { word: string; summary: string }
/** A command or group, with the words and options that can follow it. */
export type Node = {
  path: string
  words: readonly Word[]
  /** The lookup by which `svc complete` lists values of the first argument. */
  lookup: Completed | undefined
  options: readonly Word[]
  /** Values of each option that has a fixed set, by the option as it is typed. */
  values: readonly { option: string; words: readonly string[] }[]
  /** Options whose values `svc complete` lists, as they are typed. */
  lookups: readonly { option: string; lookup: Completed }[]
  /** Options that take any other value, as they are typed. */
  free: readonly string[]
}

export function nodesOf(table: Table): Node[] {
  const groups = ['', ...table.groups.map((group) => group.path)]
  return [...groups.map((path) => groupNode(path, table)), ...table.commands.map(commandNode)]
}

function groupNode(path: string, table: Table): Node {
  const options = path === '' ? table.rootOptions : []
  const words = childrenOf(path, table)
  return { path, words, lookup: undefined, options: options.flatMap(spellings), values: [], lookups: [], free: [] }
}

function commandNode(command: Command): Node {
  const options = optionsOf(command)
  const argumentChoices = command.arguments?.[0]?.choices ?? []
  return {
    path: command.path,
    words: argumentChoices.map((word) => ({ word, summary: command.arguments![0]!.summary })),
    lookup: command.arguments?.[0]?.completes,
    options: options.flatMap(spellings),
    values: options.flatMap((option) => typed(option, option.choices ?? [])),
    lookups: options.flatMap((option) => {
      const { completes: lookup } = option
      return lookup ? names(option).map((name) => ({ option: name, lookup })) : []
    }),
    free: options.filter(({ value, choices, completes }) => value && !choices && !completes).flatMap(names),
  }
}

function typed(option: Option, words: readonly string[]) {
  return words.length === 0 ? [] : names(option).map((name) => ({ option: name, words }))
}

function names({ name, short }: Option): string[] {
  return short ? [`--${name}`, `-${short}`] : [`--${name}`]
}

function spellings(option: Option): Word[] {
  return names(option).map((word) => ({ word, summary: option.summary }))
}
