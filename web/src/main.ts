import "./style/app.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { followLinks } from "./work/route.svelte";
import { applyTheme } from "./work/theme";

applyTheme();
followLinks();
mount(App, { target: document.getElementById("app")! });
