import {
  dismissFinding,
  type Finding,
  listFindings,
  readFinding,
  reopenFinding,
} from '#contract/maintenance/findings.ts'
import { openClient } from '../../../call/client.ts'
import { clientCommand } from '../../../call/client-command.ts'
import { namePeople } from '../../../call/name-people.ts'
import { callCommand } from '../../../call/operation-command.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { showList } from '../../../terminal/output.ts'
import { printable } from '../../../terminal/printable.ts'
import { type Pair, toPairs } from '../../../terminal/table.ts'

/** The beginning of a fingerprint is enough for the commands, and leaves room for the summary. */
const SHOWN_CHARACTERS = 12

type ListFlags = OutputFlags & LoginFlags

export const list = {
  async run([alias]: [string], flags: ListFlags, cli: Cli): Promise<void> {
    const client = await openClient(flags, cli)
    const found = await cli.progress('Listing findings', client.call(listFindings, { alias }))
    showList(cli, flags.output, found, {
      header: ['FINDING', 'STATE', 'LAST SEEN', 'SUMMARY'],
      row: ({ fingerprint, state, last_seen_at, summary }) => [
        fingerprint.slice(0, SHOWN_CHARACTERS),
        state,
        cli.time(last_seen_at),
        summary,
      ],
      cut: ['SUMMARY'],
      none: `The maintenance agent has found nothing in ${alias}.`,
    })
  },
}

export const show = clientCommand(async (client, [alias, typed], _, cli) => {
  const finding = await client.call(readFinding, { alias, fingerprint: typed })
  const nameOf = await namePeople(client, [finding.dismissed?.by ?? null])
  const id = finding.fingerprint.slice(0, SHOWN_CHARACTERS)
  const dismissing = `Dismiss it if it is no fault: ${cli.config.program} apps maintenance dismiss ${alias} ${id} --reason <text>`
  return {
    document: finding,
    text: [...toPairs(pairsOf(finding, nameOf, cli)), ...linesOf(finding, cli)],
    notes: finding.state === 'dismissed' ? [] : [dismissing],
  }
})

function pairsOf(finding: Finding, nameOf: (id: string) => string, cli: Cli): Pair[] {
  const { dismissed, path, symbol, seen_by_runs: runs } = finding
  return [
    ['Finding', finding.fingerprint],
    ['State', finding.state],
    ['Kind', finding.kind],
    ['Summary', finding.summary],
    ['Meaning', finding.explanation],
    ['Place', path === null ? null : `${path}${symbol === null ? '' : `, ${symbol}`}`],
    [
      'Seen',
      `by ${runs} ${runs === 1 ? 'run' : 'runs'}, first ${cli.time(finding.first_seen_at)}, last ${cli.time(finding.last_seen_at)}`,
    ],
    [
      'Dismissed',
      dismissed &&
        `${cli.time(dismissed.at)} by ${dismissed.by === null ? '-' : nameOf(dismissed.by)}: ${dismissed.reason}`,
    ],
    ['Look at', finding.look_at.join('; ')],
  ]
}

function linesOf({ lines }: Finding, cli: Cli): string[] {
  return lines.length === 0 ? [] : ['', ...lines.map(({ at, text }) => `${cli.time(at)}  ${printable(text)}`)]
}

export const dismiss = callCommand(dismissFinding, {
  input: ([alias, fingerprint], { reason }: { reason?: string }) => ({ alias, fingerprint, reason: reason ?? '' }),
  text: ({ fingerprint }) => `Dismissed ${fingerprint.slice(0, SHOWN_CHARACTERS)}. It is not reported again.`,
})

export const reopen = callCommand(reopenFinding, {
  input: ([alias, fingerprint]) => ({ alias, fingerprint }),
  text: ({ fingerprint }) => `${fingerprint.slice(0, SHOWN_CHARACTERS)} is reported again when a run sees it.`,
})
