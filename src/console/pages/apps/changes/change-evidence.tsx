import { Link } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { shortTimes } from '#console/parts/text/short-times.ts'
import { Time } from '#console/parts/text/time.tsx'
import { VisibleText } from '#console/parts/text/visible-text.tsx'
import { listFindings } from '#contract/maintenance/findings.ts'
import type { Proposal } from '#contract/maintenance/proposals.ts'
import { explainValidation } from './describe-proposal.ts'

/** Shows what the agent read before it proposed the change, and which checks of the change passed. */
export function ChangeEvidence({ proposal }: { proposal: Proposal }) {
  const { app, evidence, validation, validation_notes, execution_id } = proposal
  return (
    <section className="card">
      <h2>Evidence</h2>
      <CitedLines alias={app.alias} fingerprint={proposal.fingerprint} />
      <ul className="bare-list evidence">
        {evidence.map(({ kind, reference, sha256, bytes }) => (
          <li key={`${kind} ${reference} ${sha256}`}>
            <strong>{kind}</strong> <code>{shortTimes(reference)}</code>{' '}
            <span className="soft whole" title={`SHA-256 ${sha256}`}>
              {bytes.toLocaleString()} bytes
            </span>
          </li>
        ))}
      </ul>
      <p>
        <Link to="/apps/$alias/maintenance/$executionId" params={{ alias: app.alias, executionId: execution_id }}>
          Show the run that proposed it
        </Link>
      </p>
      <h3>What was checked</h3>
      <p>{explainValidation(validation)}</p>
      {validation_notes.map((note) => (
        <p key={note} className="soft">
          {note}
        </p>
      ))}
    </section>
  )
}

/** The lines that show the fault. Nothing is shown if the finding cites none, or is not there any more. */
function CitedLines({ alias, fingerprint }: { alias: string; fingerprint: string }) {
  const findings = useCall(listFindings, { alias })
  const finding = findings.data?.items.find((item) => item.fingerprint === fingerprint)
  return finding?.lines.map(({ at, text }) => (
    <p key={`${at} ${text}`}>
      <Time at={at} />{' '}
      <code>
        <VisibleText line={text} />
      </code>
    </p>
  ))
}
