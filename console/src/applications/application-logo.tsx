import { useApplication } from './applications.ts'

/** Every logo at one size and in one shape, on a ground that drawings without one need in the dark, so that none shouts. Where no name stands beside it, it says its own. */
export function ApplicationLogo({
  shortName,
  size = 20,
  isAlone = false,
}: {
  shortName: string
  size?: number
  isAlone?: boolean
}) {
  const application = useApplication(shortName)
  const image = application?.logoImage
  const name = application?.name ?? shortName
  return (
    <span
      title={name}
      className="inline-flex shrink-0 items-center justify-center overflow-hidden rounded-[22%] bg-[#fdfdfe]"
      style={{ width: size, height: size }}
    >
      {image ? (
        <img src={imageSource(image)} alt={isAlone ? name : ''} width={size} height={size} className="object-contain" />
      ) : (
        <span className="text-[10px] font-semibold text-[#59616f]" aria-hidden={!isAlone}>
          {shortName.slice(0, 2)}
        </span>
      )}
    </span>
  )
}

/** SVG or PNG: PNG files begin with the same eight bytes, and so does their base64. */
export function imageSource(base64: string): string {
  return `data:${base64.startsWith('iVBOR') ? 'image/png' : 'image/svg+xml'};base64,${base64}`
}
