import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useCall } from '#console/call/use-call.ts'
import { Choice } from '#console/parts/form/choice.tsx'
import { platformMetadata } from '#contract/mcp.ts'
import { AgentSteps } from '../mcp/agents/agent-steps.tsx'
import { knownAgents } from '../mcp/agents/known-agents.ts'
import { Step } from './step.tsx'

export function ConnectStep({ isDone }: { isDone: boolean }) {
  const metadata = useCall(platformMetadata, {}, { enabled: !isDone })
  return (
    <Step title="Connect an agent" isDone={isDone}>
      {metadata.data && <Agents url={metadata.data.resource} />}
      {metadata.error && (
        <p>
          See <Link to="/mcp/agents">Connected agents</Link>.
        </p>
      )}
    </Step>
  )
}

function Agents({ url }: { url: string }) {
  const agents = knownAgents(url)
  const [name, setName] = useState(agents[0]!.name)
  return (
    <>
      <Choice
        label="Agent"
        value={name}
        options={agents.map((agent) => ({ value: agent.name, label: agent.name }))}
        onChange={setName}
      />
      <AgentSteps steps={agents.find((agent) => agent.name === name)!.steps} />
    </>
  )
}
