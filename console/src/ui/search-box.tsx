import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { classNames } from './class-names.ts'
import { inputClass } from './field.tsx'

/** Searches while one types, a moment after the last key. */
export function SearchBox({
  value,
  onSearch,
  label = 'Search',
  placeholder = 'Search',
  className,
}: {
  value: string
  onSearch: (text: string) => void
  label?: string
  placeholder?: string
  className?: string
}) {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  useEffect(() => {
    if (value !== sent.current) {
      sent.current = value
      setText(value)
    }
  }, [value])
  useEffect(() => {
    if (text === sent.current) return
    const timer = setTimeout(() => {
      sent.current = text
      onSearch(text)
    }, 180)
    return () => clearTimeout(timer)
  }, [text, onSearch])
  return (
    <div className={classNames('relative', className)}>
      <Search size={14} aria-hidden className="pointer-events-none absolute top-2.25 left-2.5 text-faint" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className={classNames(inputClass, 'h-8 pl-8')}
      />
    </div>
  )
}
