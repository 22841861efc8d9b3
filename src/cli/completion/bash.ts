import type { Table } from '../command.ts'
import { type Node, nodesOf } from './nodes.ts'

/** Written for bash 3.2 too, which has no maps. File names where nothing else fits. */
export function bashScript(table: Table): string {
  const nodes = nodesOf(table)
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => `"${path}"`)
  return `# bash completion of svc: source <(svc completion bash)
_svc() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at="" next word words="" options="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    next="\${at:+$at }$word"
    case "$next" in
      ${paths.join('|')}) at="$next" ;;
    esac
  done
  case "$at:$prev" in
${valueCases(nodes).join('\n')}
  esac
  case "$at" in
${nodes.map(wordCase).join('\n')}
  esac
  [[ "$cur" == -* ]] && words="$options"
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
  const freeOptions = nodes.flatMap(({ path, free }) => free.map((option) => `"${path}:${option}"`))
  return [
    ...lists.map(([words, given]) => {
      return `    ${given!.map(({ at }) => at).join('|')}) COMPREPLY=($(compgen -W "${words}" -- "$cur")); return ;;`
    }),
    `    ${freeOptions.join('|')}) return ;;`,
  ]
}

function wordCase({ path, words, options }: Node): string {
  const list = (of: Node['words']) => of.map(({ word }) => word).join(' ')
  return `    "${path}") words="${list(words)}" options="${list(options)}" ;;`
}
