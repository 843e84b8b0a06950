/**
 * Styles of the report and of the view: the color scheme follows the reader. A label for which its bar is too narrow wraps to a
 * second line, which is outside of the bar: a cut name says nothing.
 */
export const pageStyle = `
:root{color-scheme:light dark;--text:light-dark(#1f2328,#e6e8eb);--soft:light-dark(#57606a,#9ba3ad);--line:light-dark(#d8dee4,#30363d);--back:light-dark(#fff,#16181c);--lane:light-dark(#f3f5f7,#1f2329);--code:#0072b2;--office:#009e73;--mail:#e69f00;--chat:#cc79a7;--web:#56b4e9;--media:#f0e442;--system:light-dark(#7c8fa6,#8fa3bc);--other:light-dark(#c3c8ce,#596069)}
*{box-sizing:border-box}
body{margin:0;padding:20px;background:var(--back);color:var(--text);font:14px/1.45 var(--font-sans,system-ui,sans-serif)}
main{max-width:1200px;margin:auto}
h1{font-size:20px;margin:0 0 2px}h2{font-size:16px;margin:24px 0 6px}h3{font-size:14px;margin:0 0 6px}
p{margin:0 0 8px}.soft,th{color:var(--soft);font-weight:400}
.lane{display:grid;grid-template-columns:110px minmax(0,1fr);align-items:center;gap:8px;margin:4px 0}
.track{position:relative;height:30px;background:var(--lane);border-radius:4px;overflow:hidden}
.applications .track{height:52px}.computer .track{height:8px}.documents .track,.tags .track{height:20px}.computer .bar{padding:0;font-size:0}.documents .bar{--bar:light-dark(#c3c8ce,#4b525c)!important;--on:var(--text)!important}
.headline{font-size:16px}.headline strong{font-weight:600}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;list-style:none;margin:0 0 10px;padding:0}.legend li{display:flex;align-items:center;gap:6px}
.columns{display:flex;gap:clamp(4px,2vw,24px);margin:12px 0}.column{flex:1;min-width:0;max-width:120px;display:flex;flex-direction:column;align-items:center;font-size:12px}.column strong{height:18px}.column .soft{font-size:11px;white-space:nowrap}.column .track{display:flex;flex-direction:column-reverse;width:100%;height:clamp(160px,30vw,300px)}.column .bar{position:static;width:100%;min-height:2px;padding:0;border:0;border-block-start:1px solid var(--back)}.columns+.details{margin-inline-start:0}
.bar{position:absolute;top:0;bottom:0;min-width:2px;padding:0 4px;border:0;border-inline-start:1px solid var(--back);background:var(--bar);color:var(--on);font:inherit;font-size:11px;display:flex;flex-wrap:wrap;align-items:center;overflow:hidden;white-space:nowrap;cursor:default;forced-color-adjust:none}.bar::before{content:'';height:100%}
.bar:hover{filter:brightness(1.12)}.bar:focus-visible{min-width:12px;outline:2px solid var(--text);outline-offset:-2px;box-shadow:inset 0 0 0 4px var(--back);z-index:1}
.axis{position:relative;height:18px;font-size:11px;color:var(--soft)}.axis span{position:absolute;transform:translateX(-50%)}.axis span:first-child{transform:none}.axis span:last-child[style*='100.0']{transform:translateX(-100%)}
.details{min-height:24px;margin:6px 0 0 118px;overflow-wrap:anywhere}
.details img{display:block;max-width:min(100%,480px);margin-top:6px;border:1px solid var(--line);border-radius:4px}
.top{display:grid;grid-template-columns:repeat(auto-fit,minmax(270px,1fr));gap:20px;margin-top:20px}
.top ol{list-style:none;margin:0;padding:0}.top li{display:grid;grid-template-columns:minmax(0,1fr) auto 44px;gap:8px;padding:3px 0 5px;margin-bottom:2px;background:linear-gradient(var(--bar),var(--bar)) left bottom/var(--part) 4px no-repeat,linear-gradient(var(--lane),var(--lane)) left bottom/100% 4px no-repeat}.top li span:last-child{text-align:end}
.top li span:first-child{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.dot{width:12px;height:12px;border-radius:3px;background:var(--bar);forced-color-adjust:none}
.shots{display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:12px;margin:8px 0}figure{margin:0}figure img{width:100%;border:1px solid var(--line);border-radius:4px}
details{margin-top:16px}table{border-collapse:collapse;width:100%;font-size:13px}.scroll{overflow-x:auto}th,td{text-align:start;vertical-align:top;padding:3px 8px 3px 0;border-bottom:1px solid var(--line);white-space:nowrap}.text{min-width:130px;white-space:normal;overflow-wrap:anywhere}
@media (forced-colors:active){.track{border:1px solid CanvasText}.bar{border:1px solid Canvas}.bar:focus-visible{outline-color:Highlight}}
@media (max-width:800px){.axis span:nth-child(even){display:none}}
@media (max-width:600px){.lane{grid-template-columns:1fr;gap:0}.details{margin-inline-start:0}.axis span:not(:nth-child(4n+1)){display:none}}
@media print{body{padding:0}.bar{print-color-adjust:exact}}
`;
