import { Link } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { Copy } from '#console/parts/text/copy.tsx'
import { useHasRole } from '#console/session/session.ts'
import { installCommand } from '#contract/client-package.ts'
import { listSlimSources } from '#contract/data-sources/sources.ts'
import { Step } from './step.tsx'

/** The source that a first start makes, and a question that it answers. */
const EXAMPLE = { id: 'db_handbook', question: 'my laptop was stolen, what now?' }

export function AskStep({ isDone }: { isDone: boolean }) {
  const { data } = useCall(listSlimSources, {}, { enabled: !isDone })
  const [first] = data?.items ?? []
  const example = data?.items.find(({ id }) => id === EXAMPLE.id)
  const source = example ?? first
  const question = example && EXAMPLE.question
  return (
    <Step title="Ask a question" isDone={isDone}>
      {source ? (
        <>
          <p>
            <Link to="/mcp/sources/$id" params={{ id: source.id }} state={question === undefined ? {} : { question }}>
              Ask {source.name}
            </Link>{' '}
            here, or on the command line, with the client that this instance serves. It needs Node 22.18 or later, and
            asks for one of your <Link to="/settings/tokens">API tokens</Link>:
          </p>
          <Copy isBlock text={`${installCommand(location.origin)}\nsvc login --api-url ${location.origin}`} />
          <Copy isBlock text={`svc datasource query ${source.id} "${question ?? 'your question'}"`} />
        </>
      ) : (
        data && <NothingToAsk />
      )}
    </Step>
  )
}

function NothingToAsk() {
  const isDeveloper = useHasRole('developer')
  if (!isDeveloper) return <p>No source is open to your role yet. Ask an admin to expose one.</p>
  return (
    <p>
      No source is exposed yet. <Link to="/databases">Create a database</Link>, then enable it under{' '}
      <Link to="/mcp/sources">Data sources</Link>.
    </p>
  )
}
