// Brief confirmation messages, announced to screen readers and gone after a few seconds.
import { createContext, useCallback, useContext, useState, type ReactNode } from 'react';

const STAYS_MS = 4_000;
const ToastContext = createContext<(text: string) => void>(() => {});

export function ToastProvider({ children }: { children: ReactNode }) {
  const [text, setText] = useState('');
  const say = useCallback((next: string) => {
    setText(next);
    setTimeout(() => setText((now) => (now === next ? '' : now)), STAYS_MS);
  }, []);
  return (
    <ToastContext value={say}>
      {children}
      <div className="toast" role="status" aria-live="polite">
        {text && <span>{text}</span>}
      </div>
    </ToastContext>
  );
}

export const useToast = () => useContext(ToastContext);
