import '../../styles/switch.css'

type Props = { label: string; isOn: boolean; isBusy: boolean; onChange: (isOn: boolean) => void }

/** An on-off control that acts at once. */
export function Switch({ label, isOn, isBusy, onChange }: Props) {
  return (
    <button
      type="button"
      role="switch"
      className="switch"
      aria-checked={isOn}
      aria-busy={isBusy}
      onClick={() => onChange(!isOn)}
    >
      <span className="switch-track" aria-hidden="true" />
      {label}
    </button>
  )
}
