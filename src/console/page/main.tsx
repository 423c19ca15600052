import { render } from 'preact';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/tables.css';
import './styles/views.css';
import './styles/document.css';
import { Live } from './app/live.ts';
import { Router } from './app/router.ts';
import { Page } from './page.tsx';

const root = document.getElementById('page');
if (root) render(<Page router={new Router()} live={new Live()} />, root);
