import { useState } from 'react'
import type { z } from 'zod'
import { Fault } from '#console/parts/form/fault.tsx'
import { saveText } from '#console/parts/text/save-text.ts'
import { useSession } from '#console/session/session.ts'
import { type LogRecord, searchLogs } from '#contract/apps/logs.ts'
import { fileOf } from './download.ts'

/** More would take long, and the client downloads any number: `svc apps logs`. */
const MAX_LINES = 10_000
const PAGE = 100

type Input = Omit<z.input<typeof searchLogs.input>, 'limit' | 'cursor'>

/** Saves the lines that were found as a file, the newest 10,000 at most. */
export function DownloadLogs({ alias, input }: { alias: string; input: Input }) {
  const { api } = useSession()
  const [done, setDone] = useState<number>()
  const [error, setError] = useState<unknown>()
  const download = async () => {
    const lines: LogRecord[] = []
    let cursor: string | undefined
    setError(undefined)
    try {
      do {
        setDone(lines.length)
        const page = await api.call(searchLogs, { ...input, limit: PAGE, ...(cursor !== undefined && { cursor }) })
        lines.push(...page.items)
        cursor = page.next_cursor ?? undefined
      } while (cursor !== undefined && lines.length < MAX_LINES)
      saveText(`${alias}.log`, fileOf(lines))
    } catch (fault) {
      setError(fault)
    }
    setDone(undefined)
  }
  return (
    <>
      <p className="row">
        <button type="button" className="button small" disabled={done !== undefined} onClick={() => void download()}>
          {done === undefined ? 'Download' : `Reading… ${done} lines`}
        </button>
      </p>
      <Fault of={error} />
    </>
  )
}
