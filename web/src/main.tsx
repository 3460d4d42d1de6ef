// Entry point of the web app: styles, providers, and the root component.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/tokens.css';
import './styles/base.css';
import './styles/components.css';
import './styles/data.css';
import './styles/layout.css';
import './styles/home.css';
import './styles/explore.css';
import './styles/areas.css';
import './styles/property.css';
import './styles/dashboard.css';
import './styles/print.css';
import { App } from './app.tsx';
import { CallerProvider } from './caller.tsx';
import { ToastProvider } from './ui/toast.tsx';
import { applyTheme, storedTheme } from './ui/theme.ts';

applyTheme(storedTheme());

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <CallerProvider>
      <ToastProvider>
        <App />
      </ToastProvider>
    </CallerProvider>
  </StrictMode>,
);
