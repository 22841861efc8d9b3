import { useNavigate, useSearch } from '@tanstack/react-router'
import { usePages } from '#console/call/use-pages.ts'
import { Chip } from '#console/parts/chip.tsx'
import { Copy } from '#console/parts/copy.tsx'
import { Empty } from '#console/parts/empty.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { Page } from '#console/parts/page.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { useHasRole } from '#console/session/session.ts'
import { type AppFunction, listFunctions } from '#contract/functions.ts'
import { CallFunction } from './call-function.tsx'

/** The functions that workers of the organization registered. */
export function FunctionsPage() {
  const functions = usePages(listFunctions, { limit: 100 })
  const { call } = useSearch({ from: '/functions' })
  const navigate = useNavigate()
  const open = (name?: string) => void navigate({ to: '/functions', search: name === undefined ? {} : { call: name } })
  const canCall = useHasRole('member')
  const columns: readonly Column<AppFunction>[] = [
    { head: 'Function', cell: (each) => <code>{nameOf(each)}</code> },
    { head: 'Worker', cell: (each) => <WorkerChip isConnected={each.connected} /> },
    { head: 'About', cell: ({ description }) => description, isWide: true },
    { head: 'Time limit', cell: (each) => `${each.timeout_seconds} s`, isNumber: true, isWide: true },
    {
      head: 'Acts',
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
      <Loaded of={functions}>
        {(items) => {
          const chosen = items.find((each) => nameOf(each) === call)
          return items.length === 0 ? (
            <NoFunctions />
          ) : (
            <>
              <Table caption="Functions" columns={columns} rows={items} keyOf={nameOf} />
              <More of={functions} />
              {chosen && <CallFunction key={call} of={chosen} onClose={() => open()} />}
            </>
          )
        }}
      </Loaded>
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
  `import { createWorker } from 'svc-worker-sdk'`,
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
