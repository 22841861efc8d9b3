import { useNavigate, useSearch } from '@tanstack/react-router'
import { usePages } from '#console/call/use-pages.ts'
import { Chip } from '#console/parts/list/chip.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Page } from '#console/parts/page/page.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { useHasRole } from '#console/session/session.ts'
import { type AppFunction, listFunctions } from '#contract/functions.ts'
import { CallFunction } from './call-function.tsx'

/** The functions that workers of the organization registered. */
export function FunctionsPage() {
  const functions = usePages(listFunctions, { limit: 100 }, { isWatched: true })
  const { call } = useSearch({ from: '/functions' })
  const navigate = useNavigate()
  const open = (name?: string) => void navigate({ to: '/functions', search: name === undefined ? {} : { call: name } })
  const canCall = useHasRole('member')
  const chosen = functions.data?.find((each) => nameOf(each) === call)
  const columns: readonly Column<AppFunction>[] = [
    { head: 'Function', cell: (each) => <code>{nameOf(each)}</code> },
    { head: 'Worker', cell: (each) => <WorkerChip isConnected={each.connected} /> },
    { head: 'About', cell: ({ description }) => description, isWide: true },
    { head: 'Time limit', cell: (each) => `${each.timeout_seconds} s`, isNumber: true, isWide: true },
    {
      head: 'Actions',
      cell: (each) => (
        <button type="button" className="button small" onClick={() => open(nameOf(each))}>
          {canCall ? 'Call' : 'Show'}
          <span className="visually-hidden"> {nameOf(each)}</span>
        </button>
      ),
    },
  ]
  return (
    <Page title="Functions">
      <p className="soft">Code of apps that people, programs and agents can call. A connected worker runs it.</p>
      <List of={functions} caption="Functions" columns={columns} keyOf={nameOf} empty={<NoFunctions />} />
      {chosen && <CallFunction key={call} of={chosen} onClose={() => open()} />}
    </Page>
  )
}

function nameOf({ alias, name }: AppFunction): string {
  return `${alias}/${name}`
}

function WorkerChip({ isConnected }: { isConnected: boolean }) {
  return isConnected ? <Chip tone="success">Connected</Chip> : <Chip tone="plain">Not connected</Chip>
}

const FIRST_FUNCTION = [
  `import { createWorker } from '@svc-instance/worker-sdk'`,
  `import { z } from 'zod'`,
  '',
  'const worker = createWorker()',
  'worker.function(',
  `  'greet',`,
  `  { description: 'Greets a person', input: z.object({ name: z.string() }) },`,
  "  async ({ name }) => ({ text: 'Hello ' + name }),",
  ')',
  'await worker.start()',
].join('\n')

function NoFunctions() {
  return (
    <Empty title="No functions yet">
      <p>Functions appear when a worker connects with the worker SDK. This is a whole worker:</p>
      <Copy isBlock text={FIRST_FUNCTION} />
    </Empty>
  )
}
