import type { Deploy } from '#contract/apps/deploys.ts'
import { DEPLOY_STATES } from './deploy-state.ts'
import { endLabels } from './end-labels.ts'
import { placeDeploys } from './place-deploys.ts'
import '#console/styles/timeline.css'

const WIDTH = 1_000
const HEIGHT = 28
const RADIUS = 5

/** Shows when the listed deploys happened and which failed. The table below has the same in words. */
export function DeployTimeline({ deploys }: { deploys: readonly Deploy[] }) {
  if (deploys.length < 2) return null
  const failed = deploys.filter(({ state }) => state === 'failed').length
  const first = deploys.at(-1)!
  const last = deploys[0]!
  return (
    <figure className="timeline">
      <figcaption>
        When were deploys made? <span className="soft">{`${deploys.length} deploys, ${failed} failed`}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${deploys.length} deploys, of which ${failed} failed`}
      >
        <line x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} vectorEffect="non-scaling-stroke" />
        {placeDeploys(deploys, WIDTH - 2 * RADIUS).map(({ deploy, x }) => (
          <Mark key={deploy.id} deploy={deploy} x={x + RADIUS} />
        ))}
      </svg>
      <p className="row spread soft">
        {endLabels(first.created_at, last.created_at).map((label) => (
          <span key={label}>{label}</span>
        ))}
      </p>
    </figure>
  )
}

/** Failed deploys are a full bar, others half of it, so that they differ without colour. */
function Mark({ deploy, x }: { deploy: Deploy; x: number }) {
  const { tone, word } = DEPLOY_STATES[deploy.state]
  const y = deploy.state === 'failed' ? 2 : HEIGHT / 4
  return (
    <line className={`mark ${tone}`} x1={x} x2={x} y1={y} y2={HEIGHT - y} vectorEffect="non-scaling-stroke">
      <title>{`${word}, ${new Date(deploy.created_at).toLocaleString()}`}</title>
    </line>
  )
}
