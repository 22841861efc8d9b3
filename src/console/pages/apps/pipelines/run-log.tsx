import { useState } from 'react'
import { useCall } from '#console/call/use-call.ts'
import { Dialog } from '#console/parts/form/dialog.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { VisibleLines } from '#console/parts/text/visible-text.tsx'
import { readPipelineRun, readPipelineRunLog } from '#contract/pipelines.ts'
import { isRunUnderWay } from './describe-pipeline.ts'
import '#console/styles/logs.css'

type Props = { alias: string; name: string; runId: string }

/** The log of a run, a thousand lines at a time. It is read again while the run is under way. */
export function RunLog({ alias, name, runId }: Props) {
  const [after, setAfter] = useState([0])
  const from = after.at(-1)!
  const run = useCall(
    readPipelineRun,
    { alias, name, run_id: runId },
    {
      poll: (latest) => (!latest || isRunUnderWay(latest)) && 'moving',
    },
  )
  const isRunning = run.data !== undefined && isRunUnderWay(run.data)
  const log = useCall(readPipelineRunLog, { alias, name, run_id: runId, after: from }, { poll: isRunning && 'moving' })
  return (
    <Dialog title="Log of the run">
      <Loaded of={log}>
        {({ lines, last, has_more }) => (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: text that scrolls must be reachable by keyboard */}
            <pre className="log-lines" tabIndex={0}>
              {lines.length === 0 ? (
                'It logged nothing.'
              ) : (
                <VisibleLines lines={lines.map(({ level, text }) => `${level.padEnd(5)} ${text}`)} />
              )}
            </pre>
            <footer className="row">
              {after.length > 1 && (
                <button type="button" className="button" onClick={() => setAfter(after.slice(0, -1))}>
                  Earlier lines
                </button>
              )}
              {has_more && last !== null && (
                <button type="button" className="button" onClick={() => setAfter([...after, last])}>
                  Later lines
                </button>
              )}
            </footer>
          </>
        )}
      </Loaded>
    </Dialog>
  )
}
