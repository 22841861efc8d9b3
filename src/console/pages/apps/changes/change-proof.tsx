import { StatusChip } from '#console/parts/list/chip.tsx'
import { VisibleLines } from '#console/parts/text/visible-text.tsx'
import type { Proof, ProofSide } from '#contract/maintenance/proof.ts'
import type { Proposal } from '#contract/maintenance/proposals.ts'
import { PROOF_STATES } from './describe-proof.ts'

/** Shows whether a test proves the change: what the test wrote on the live revision beside what it wrote with the change. */
export function ChangeProof({ proposal: { proof, status } }: { proposal: Proposal }) {
  if (status === 'validating') return null
  return (
    <section className="card proof">
      <div className="row">
        <h2>Proof</h2>
        <StatusChip of={PROOF_STATES[proof?.outcome ?? 'none']} />
      </div>
      {proof ? <ProofRuns proof={proof} /> : <NoProof />}
    </section>
  )
}

function NoProof() {
  return (
    <p>
      This change brings no test that shows the fault. Nothing but the diff and the checks under Evidence speaks for it.
    </p>
  )
}

function ProofRuns({ proof: { outcome, text, before, after } }: { proof: Proof }) {
  return (
    <>
      <p>{text}</p>
      {outcome === 'proven' && (
        <p className="soft">
          The test is part of the change. Read it in the diff: svc does not know whether it tests the right thing.
        </p>
      )}
      <div className="proof-sides">
        <Side title="Live revision with the test" side={before} />
        <Side title="With the change" side={after} />
      </div>
    </>
  )
}

function Side({ title, side: { runs, output } }: { title: string; side: ProofSide }) {
  if (runs.length === 0) return null
  return (
    <details open>
      <summary>
        {title} <span className="soft">{runs.join(', ')}</span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: text that scrolls must be reachable by keyboard */}
      <pre className="log-lines" tabIndex={0}>
        {output ? <VisibleLines lines={output.split('\n')} /> : 'It wrote nothing.'}
      </pre>
    </details>
  )
}
