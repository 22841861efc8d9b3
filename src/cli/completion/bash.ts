import type { Table } from '../command/command.ts'
import { type Node, nodesOf } from './nodes.ts'

/** Written for bash 3.2 too, which has no maps. File names where nothing else fits. */
export function bashScript(table: Table): string {
  const nodes = nodesOf(table)
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => `"${path}"`)
  return `# bash completion of svc: source <(svc completion bash)
# Names of contexts, such as localhost:8080, are one word.
COMP_WORDBREAKS="\${COMP_WORDBREAKS//:}"
_svc() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local at="" next word words="" options="" lookup="" last=0 i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    next="\${at:+$at }$word"
    case "$next" in
      ${paths.join('|')}) at="$next" last=$i ;;
    esac
  done
  case "$at:$prev" in
${valueCases(nodes).join('\n')}
  esac
  case "$at" in
${nodes.map(wordCase).join('\n')}
  esac
  if [[ "$cur" == -* ]]; then
    words="$options"
  elif [[ -n "$lookup" && $COMP_CWORD -eq $((last + 1)) ]]; then
    words="$(svc complete "$lookup" 2>/dev/null)"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _svc svc
`
}

/** Returns one case for each list of choices, and one for all options that take any value. */
function valueCases(nodes: readonly Node[]): string[] {
  const withChoices = nodes.flatMap(({ path, values }) =>
    values.map((value) => ({ ...value, at: `"${path}:${value.option}"` })),
  )
  const lists = Object.entries(Object.groupBy(withChoices, ({ words }) => words.join(' ')))
  const lookups = nodes.flatMap(({ path, lookups: given }) =>
    given.map(({ option, lookup }) => ({ lookup, at: `"${path}:${option}"` })),
  )
  const freeOptions = nodes.flatMap(({ path, free }) => free.map((option) => `"${path}:${option}"`))
  return [
    ...lists.map(([words, given]) => {
      return `    ${given!.map(({ at }) => at).join('|')}) COMPREPLY=($(compgen -W "${words}" -- "$cur")); return ;;`
    }),
    ...Object.entries(Object.groupBy(lookups, ({ lookup }) => lookup)).map(([lookup, given]) => {
      const names = `$(svc complete ${lookup} 2>/dev/null)`
      return `    ${given.map(({ at }) => at).join('|')}) COMPREPLY=($(compgen -W "${names}" -- "$cur")); return ;;`
    }),
    `    ${freeOptions.join('|')}) return ;;`,
  ]
}

function wordCase({ path, words, options, lookup }: Node): string {
  const list = (of: Node['words']) => of.map(({ word }) => word).join(' ')
  return `    "${path}") words="${list(words)}" options="${list(options)}"${lookup ? ` lookup=${lookup}` : ''} ;;`
}
