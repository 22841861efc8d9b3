import { useCall } from '#console/call/use-call.ts'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { ServiceError } from '#contract/core/errors.ts'
import { platformMetadata } from '#contract/mcp.ts'
import { AgentSteps } from './agent-steps.tsx'
import { knownAgents } from './known-agents.ts'
import '#console/styles/mcp.css'

/** How to connect each known agent, with the address of this installation. */
export function ConnectAgent() {
  const metadata = useCall(platformMetadata, {})
  const isOff = metadata.error instanceof ServiceError && metadata.error.status === 404
  return (
    <section aria-labelledby="connect-agent">
      <h2 id="connect-agent">Connect an agent</h2>
      {isOff ? (
        <p>
          Agents cannot sign in to this installation, because its operator has not set the secrets for it. Agents that
          send an API token work.
        </p>
      ) : (
        <Loaded of={metadata}>{({ resource }) => <Agents url={resource} />}</Loaded>
      )}
    </section>
  )
}

function Agents({ url }: { url: string }) {
  return (
    <>
      <p className="soft">The agent opens the browser once. You see who asks, choose the scopes, and approve.</p>
      <div className="known-agents">
        {knownAgents(url).map((agent) => (
          <details key={agent.name}>
            <summary>{agent.name}</summary>
            <AgentSteps steps={agent.steps} />
          </details>
        ))}
      </div>
    </>
  )
}
