import type { Table } from '../command/command.ts'
import { type Node, nodesOf, type Word } from './nodes.ts'

export function zshScript(table: Table): string {
  const nodes = nodesOf(table)
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => `"${path}"`)
  return `#compdef svc
# zsh completion of svc: source <(svc completion zsh)
_svc() {
  local at="" next word lookup="" last=1 i
  local -a items flags
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    next="\${at:+$at }$word"
    case "$next" in
      ${paths.join('|')}) at="$next" last=$i ;;
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
  elif [[ -n "$lookup" ]] && (( CURRENT == last + 1 )); then
    compadd -- \${(f)"$(svc complete $lookup 2>/dev/null)"}
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

function valueCases({ path, values, lookups, free }: Node): string[] {
  const cases = [
    ...values.map(({ option, words }) => `    "${path}:${option}") compadd -- ${words.join(' ')}; return ;;`),
    ...lookups.map(({ option, lookup }) => {
      return `    "${path}:${option}") compadd -- \${(f)"$(svc complete ${lookup} 2>/dev/null)"}; return ;;`
    }),
  ]
  return free.length === 0
    ? cases
    : [...cases, `    ${free.map((option) => `"${path}:${option}"`).join('|')}) _files; return ;;`]
}

function wordCase({ path, words, options, lookup }: Node): string {
  return `    "${path}") items=(${list(words)}) flags=(${list(options)})${lookup ? ` lookup=${lookup}` : ''} ;;`
}

function list(words: readonly Word[]): string {
  return words.map(({ word, summary }) => quote(`${word}:${summary.replaceAll(':', '\\:')}`)).join(' ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
