import type { Table } from '../command/command.ts'
import { type Node, nodesOf } from './nodes.ts'

export function fishScript(table: Table): string {
  const nodes = nodesOf(table)
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => quote(path))
  return `# fish completion of svc: svc completion fish > ~/.config/fish/completions/svc.fish
function __svc_at
    set -l at ''
    for word in (commandline -opc)[2..]
        set -l next (string trim -- "$at $word")
        if contains -- $next ${paths.join(' ')}
            set at $next
        end
    end
    test "$at" = "$argv[1]"
end
# Whether the word to complete is the first after the command.
function __svc_first
    __svc_at $argv[1]; and test (commandline -opc)[-1] = (string split ' ' -- $argv[1])[-1]
end
${nodes.flatMap(lines).join('\n')}
`
}

function lines(node: Node): string[] {
  const at = `complete -c svc -n ${quote(`__svc_at ${JSON.stringify(node.path)}`)}`
  const words = node.words.map(({ word, summary }) => `${at} -f -a ${quote(word)} -d ${quote(summary)}`)
  const first = `complete -c svc -n ${quote(`__svc_first ${JSON.stringify(node.path)}`)}`
  const names = node.lookup ? [`${first} -f -a ${quote(lookUp(node.lookup))}`] : []
  return [
    ...words,
    ...names,
    ...node.options.map(({ word, summary }) => `${at} ${spelled(word, node)} -d ${quote(summary)}`),
  ]
}

function lookUp(kind: string): string {
  return `(svc complete ${kind} 2>/dev/null)`
}

function spelled(word: string, { values, lookups, free }: Node): string {
  const name = word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`
  const choices = values.find(({ option }) => option === word)
  if (choices) return `${name} -x -a ${quote(choices.words.join(' '))}`
  const named = lookups.find(({ option }) => option === word)
  if (named) return `${name} -x -a ${quote(lookUp(named.lookup))}`
  return free.includes(word) ? `${name} -r` : `${name} -f`
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
