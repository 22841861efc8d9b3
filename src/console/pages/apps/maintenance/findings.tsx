import { useCall } from '#console/call/use-call.ts'
import { ActButton } from '#console/parts/form/act-button.tsx'
import { FormDialog } from '#console/parts/form/form-dialog.tsx'
import { Opener } from '#console/parts/form/opener.tsx'
import { TextArea } from '#console/parts/form/text-area.tsx'
import { type Status, StatusChip } from '#console/parts/list/chip.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { VisibleText } from '#console/parts/text/visible-text.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { dismissFinding, type Finding, listFindings, reopenFinding } from '#contract/maintenance/findings.ts'

const STATES: Record<Finding['state'], Status> = {
  open: { word: 'Open', tone: 'attention' },
  closed: { word: 'Closed', tone: 'plain' },
  dismissed: { word: 'Dismissed', tone: 'plain' },
}

/** The findings of an app, with the lines that show them. For people who may read its logs. */
export function Findings({ alias }: { alias: string }) {
  const findings = useCall(listFindings, { alias })
  return (
    <section>
      <h2>Findings</h2>
      <Loaded of={findings} rows={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">No findings yet.</p>
          ) : (
            <div className="stack">
              {items.map((finding) => (
                <FindingCard key={finding.fingerprint} alias={alias} finding={finding} />
              ))}
            </div>
          )
        }
      </Loaded>
    </section>
  )
}

function FindingCard({ alias, finding }: { alias: string; finding: Finding }) {
  const { state, summary, explanation, look_at, lines, dismissed, former_revision_id, first_seen_at, last_seen_at } =
    finding
  return (
    <article className="card">
      <p className="row">
        <StatusChip of={STATES[state]} />
        <span className="soft">
          first seen <Time at={first_seen_at} />, last <Time at={last_seen_at} />
        </span>
      </p>
      <p className="prose">{summary}</p>
      {former_revision_id !== null && <p className="soft">{explanation}</p>}
      {dismissed && <p className="soft">Dismissed: {dismissed.reason}</p>}
      <details>
        <summary>What it means, and the lines that show it</summary>
        {former_revision_id === null && <p className="prose">{explanation}</p>}
        <ul>
          {look_at.map((place) => (
            <li key={place}>{place}</li>
          ))}
        </ul>
        {lines.map(({ at, text }) => (
          <p key={`${at} ${text}`}>
            <Time at={at} />{' '}
            <code>
              <VisibleText line={text} />
            </code>
          </p>
        ))}
      </details>
      <FindingActs alias={alias} finding={finding} />
    </article>
  )
}

function FindingActs({ alias, finding: { fingerprint, state, summary } }: { alias: string; finding: Finding }) {
  const { me } = useSession()
  const canDismiss = useHasRole('admin') && !me.read_only
  if (!canDismiss) return null
  if (state === 'dismissed') {
    return (
      <ActButton
        op={reopenFinding}
        input={{ alias, fingerprint }}
        changes={[listFindings]}
        done="The finding is reported again when a run sees it."
      >
        Report again
      </ActButton>
    )
  }
  return (
    <Opener label="Dismiss finding" of={summary} dialog={<DismissFinding alias={alias} fingerprint={fingerprint} />} />
  )
}

function DismissFinding({ alias, fingerprint }: { alias: string; fingerprint: string }) {
  return (
    <FormDialog
      title="Dismiss finding"
      op={dismissFinding}
      fields={{ reason: '' }}
      input={(typed) => ({ alias, fingerprint, ...typed })}
      changes={[listFindings]}
      done="Dismissed. Runs do not report it again."
    >
      <TextArea label="Why it is no fault" name="reason" required hint="For those who read it later" />
    </FormDialog>
  )
}
