import type { Table } from '../command.ts'
import { type Node, nodesOf, type Word } from './nodes.ts'

export function zshScript(table: Table): string {
  const nodes = nodesOf(table)
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => `"${path}"`)
  return `#compdef svc
# zsh completion of svc: source <(svc completion zsh)
_svc() {
  local at="" next word i
  local -a items flags
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    next="\${at:+$at }$word"
    case "$next" in
      ${paths.join('|')}) at="$next" ;;
    esac
  done
  case "$at:\${words[CURRENT-1]}" in
${nodes.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${nodes.map(wordCase).join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe -o 'option' flags
  elif (( \${#items} )); then
    _describe 'command' items
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _svc ]]; then
  _svc "$@"
else
  compdef _svc svc
fi
`
}

function valueCases({ path, values, free }: Node): string[] {
  const cases = values.map(({ option, words }) => `    "${path}:${option}") compadd -- ${words.join(' ')}; return ;;`)
  return free.length === 0
    ? cases
    : [...cases, `    ${free.map((option) => `"${path}:${option}"`).join('|')}) _files; return ;;`]
}

function wordCase({ path, words, options }: Node): string {
  return `    "${path}") items=(${list(words)}) flags=(${list(options)}) ;;`
}

function list(words: readonly Word[]): string {
  return words.map(({ word, summary }) => quote(`${word}:${summary.replaceAll(':', '\\:')}`)).join(' ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
