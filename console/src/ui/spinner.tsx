import { LoaderCircle } from 'lucide-react'

export function Spinner({ size = 14 }: { size?: number }) {
  return <LoaderCircle className="turning" size={size} strokeWidth={2} aria-hidden />
}
