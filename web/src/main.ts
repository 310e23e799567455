import { mount } from 'svelte';
import App from './App.svelte';
import { onLoggedOut } from './api';
import { live } from './live.svelte';
import { show } from './theme.svelte';
import './styles/tokens.css';
import './styles/base.css';

show();
onLoggedOut(() => live.loggedOut());
live.start();

const target = document.getElementById('app');
if (target) mount(App, { target });
