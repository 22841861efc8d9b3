import { useState } from 'react'
import type { z } from 'zod'
import { useOnce } from '#console/call/use-once.ts'
import { Fault } from '#console/parts/form/fault.tsx'
import { saveText } from '#console/parts/text/save-text.ts'
import { useSession } from '#console/session/session.ts'
import { listAudit } from '#contract/auth/members.ts'

/** `svc org export` has any number of them. */
const MAX_ENTRIES = 10_000

type Input = Omit<z.input<typeof listAudit.input>, 'limit' | 'cursor'>
type Entry = z.infer<typeof listAudit.output>['items'][number]

/** Saves the entries that the filters leave, the newest 10,000 at most, as a line of JSON each. */
export function ExportAudit({ input }: { input: Input }) {
  const { api } = useSession()
  const once = useOnce()
  const [done, setDone] = useState<number>()
  const [error, setError] = useState<unknown>()
  const save = async () => {
    const entries: Entry[] = []
    let cursor: string | undefined
    setError(undefined)
    try {
      do {
        setDone(entries.length)
        const page = await api.call(listAudit, { ...input, limit: 100, ...(cursor !== undefined && { cursor }) })
        entries.push(...page.items)
        cursor = page.next_cursor ?? undefined
      } while (cursor !== undefined && entries.length < MAX_ENTRIES)
      saveText('audit.ndjson', entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    } catch (fault) {
      setError(fault)
    }
    setDone(undefined)
  }
  return (
    <>
      <button type="button" className="button" aria-busy={done !== undefined} onClick={() => once(save)}>
        {done === undefined ? 'Export' : `Reading… ${done} entries`}
      </button>
      <Fault of={error} />
    </>
  )
}
